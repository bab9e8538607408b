/**
 * How the host's process is started. Most of what a host makes lives for one commit: with a larger nursery it dies there
 * instead of being copied first, which takes a quarter of the collector's work off a busy host and nothing off an idle one.
 * It begins at a size that a thousand streams do not outgrow: what it grows by is never given back.
 */
export const hostFlags = ['--max-semi-space-size=64', '--min-semi-space-size=16'];
