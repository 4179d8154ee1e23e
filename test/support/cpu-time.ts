/** Milliseconds that this thread itself has worked: a loaded machine does not count. For tests of what must not take the square of its length. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
