// npm run torture -- machines: sessions on machines that fail, in virtual time, with the decisions of real lines and hosts
// (src/core/place/line). AO_TRIES: how many sessions.
import { simulate } from '../test/rehearsal/places/simulate.ts'
import { campaign, isTimed, isTimeUp, triesOr } from './campaign.ts'

const MINUTES = 60
const SESSIONS_A_MACHINE = 20
const FAULTS = ['machines lost', 'machines rebooted', 'partitions', 'full disks there', 'hosts killed', 'lines killed']

campaign('failing machines', async (one) => {
  const most = triesOr(10_000)
  const sizes = [100, 1_000, 10_000].filter((size) => size < most).concat(most)
  // For some seconds: one small world after the other, because none can be ended early.
  const small = Array.from({ length: 50 }, () => 500)
  for (const [n, sessions] of (isTimed() ? small : sizes).entries()) {
    if (isTimeUp()) break
    const machines = Math.max(1, Math.round(sessions / SESSIONS_A_MACHINE))
    const started = process.cpuUsage()
    const { lost, doubled, falseStatus, counts, busiestSecond } = simulate({
      seed: one.seed + n,
      sessions,
      machines,
      minutes: MINUTES,
    })
    const cpuSeconds = process.cpuUsage(started).user / 1e6
    const seconds = MINUTES * 60
    const rate = (what: string) => ((counts[what] ?? 0) / seconds).toFixed(1)
    one.log(`${sessions} sessions on ${machines} machines, ${MINUTES} minutes, ${cpuSeconds.toFixed(1)} s of CPU`)
    one.log(`  lost ${lost.length}, doubled ${doubled.length}, false status ${falseStatus.length}`)
    one.log(
      `  per second at home: ${rate('decisions')} decisions, ${rate('writes at home')} writes, ${rate('saves')} saves, ${rate('attempts to connect')} attempts to connect (${busiestSecond} in the busiest)`,
    )
    one.log(
      `  ${Object.entries(counts)
        .map(([what, number]) => `${number} ${what}`)
        .join(', ')}`,
    )
    for (const fault of FAULTS) for (let n = 0; n < (counts[fault] ?? 0); n++) one.tried(fault)
    for (const what of [...lost, ...doubled, ...falseStatus].slice(0, 50)) one.tried('sessions').broken(what)
    for (let n = 0; n < sessions; n++) one.noted('sessions')
    one.judged()
  }
})
