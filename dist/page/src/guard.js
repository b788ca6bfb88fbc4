// The page's policy (its Content-Security-Policy) lets nothing out. What a policy cannot forbid in every browser is taken away here.

const CHANNELS = ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport", "WebSocket", "EventSource", "BroadcastChannel", "open"];

/** Takes channels away, and refuses to go anywhere. */
export function guard() {
  for (const name of CHANNELS) {
    try {
      Object.defineProperty(globalThis, name, { value: undefined, configurable: false, writable: false });
    } catch {
      // The policy still holds.
    }
  }
  globalThis.navigation?.addEventListener("navigate", (event) => {
    if (!event.destination.sameDocument && event.downloadRequest === null) event.preventDefault();
  });
  // Links lead to what is inside of this page, or nowhere: a new window's way is not this page's to refuse.
  addEventListener("click", (event) => {
    const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement || one instanceof HTMLAreaElement);
    if (link && !/^(#|blob:)/.test(link.getAttribute("href") ?? "#")) event.preventDefault();
  }, true);
  // A file dropped beside a place for files would be opened instead of this page.
  for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
}
