//! The graphics card, asked for once and on any thread: finding it takes as long as reading a file.

use crate::error::GraphicsPanic;
use kiss3d::context::Context;

/// A graphics card, or software Vulkan, ready to draw.
pub struct Card {
    instance: wgpu::Instance,
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Card {
    /// Finds one; `None` where there is none. OpenGL does not count: without a display its pictures come back black.
    pub fn find() -> Option<Self> {
        kiss3d::pollster::block_on(async {
            let (instance, adapter) = adapter().await?;
            let description = wgpu::DeviceDescriptor {
                label: Some("pictures"),
                required_limits: adapter.limits(),
                ..wgpu::DeviceDescriptor::default()
            };
            let (device, queue) = adapter.request_device(&description).await.ok()?;
            Some(Self { instance, adapter, device, queue })
        })
    }

    /// Has off-screen surfaces of this thread drawn on it, where none is yet: until the last of them is dropped.
    pub fn install(self) {
        if !Context::is_initialized() {
            let Self { instance, adapter, device, queue } = self;
            Context::init(instance, device, queue, adapter, wgpu::TextureFormat::Rgba8Unorm);
        }
    }
}

async fn adapter() -> Option<(wgpu::Instance, wgpu::Adapter)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let found = instance.request_adapter(&wgpu::RequestAdapterOptions::default()).await.ok()?;
    Some((instance, found))
}

/// Whether anything can draw: kiss3d panics without an adapter, so ask first.
pub fn has_adapter() -> bool {
    kiss3d::pollster::block_on(adapter()).is_some()
}

/// Runs what may panic inside the graphics libraries (no such display, a lost device, a texture larger than the card's): a
/// message in place of a crash.
///
/// # Errors
/// [`GraphicsPanic`]: what the library said.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, GraphicsPanic> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    std::panic::set_hook(hook);
    result.map_err(|cause| GraphicsPanic::of(cause.as_ref()))
}
