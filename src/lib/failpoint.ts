// Named points where a test may have the process killed, as a crash would: AO_FAILPOINT=<name> ends it there with SIGKILL.
// Off in normal use: one comparison with an unset variable.

export function failpoint(name: string): void {
  const wanted = process.env.AO_FAILPOINT
  if (wanted === undefined) return
  if (wanted === name) process.kill(process.pid, 'SIGKILL')
}
