// Named points where a test may have the process killed, as a crash would: AO_FAILPOINT=<name> ends it there with SIGKILL,
// AO_FAILPOINT=<name>:<n> on the nth pass. Off in normal use: one comparison with an unset variable.

let passed = 0

export function failpoint(name: string): void {
  const wanted = process.env.AO_FAILPOINT
  if (wanted === undefined) return
  const [point, time = '1'] = wanted.split(':')
  if (point === name && ++passed === Number(time)) process.kill(process.pid, 'SIGKILL')
}
