// `ao pause` and `ao resume`: the red button.
import { plural } from '../../../core/text/format-age.ts'
import { localAuthor } from '../../../inside/local-author.ts'
import type { FleetPause } from '../../../store/fleet-pause.ts'
import { readEnd } from '../../arguments/read-end.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { openAo } from '../open-ao.ts'

export const pauseCommand = defineCommand({
  name: 'pause',
  about: 'Stop every agent where it is',
  details:
    'In all repositories. Reactions, schedules, the backlog and the train wait, messages are held, and starting, answering and merging are refused. ao resume lets exactly those agents go on, also after a reboot.',
  args: {},
  options: {
    reason: { value: 'text', about: 'Shown wherever the pause is' },
    until: {
      value: 'time',
      about: 'Go on after 30m, or at 2026-12-01T08:00Z',
    },
    json: JSON_OPTION,
  },
  json: '{ paused: { state, at, by, reason?, until?, stopped: [{ sessionId, inTurn?, place? }] }, notStopped: [{ sessionId, why }] }',
  async run({ options }, io) {
    const until = options.until === undefined ? undefined : readEnd(options.until, io.clock.now())
    const { manager } = await openAo(io)
    const { pause, notStopped } = await manager.pauseFleet({ by: localAuthor(io.env), reason: options.reason, until })
    if (options.json) return void io.json({ paused: toJson(pause), notStopped })
    io.print(`Paused: ${plural(pause.stopped.length, 'agent')} stopped. Let everything go on with: ao resume`)
    if (pause.until !== undefined) io.print(`It goes on by itself at ${pause.until}, while ao start is running`)
    for (const { sessionId, why } of notStopped)
      io.note(`${sessionId} was not stopped: ${why}. End it with: ao session kill ${sessionId}`)
    return notStopped.length > 0 ? 1 : undefined
  },
})

export const resumeCommand = defineCommand({
  name: 'resume',
  about: 'Let everything go on that ao pause stopped',
  details:
    'Agents whose processes are gone, as after a reboot, are restored, and asked to continue if they were in a turn.',
  args: {},
  options: { json: JSON_OPTION },
  json: '{ resumed: boolean, continued: [id], restored: [id], failed: [{ sessionId, why }] }',
  async run({ options }, io) {
    const { manager } = await openAo(io)
    const resumed = await manager.resumeFleet()
    const { continued, restored, failed } = resumed ?? { continued: [], restored: [], failed: [] }
    if (options.json) return void io.json({ resumed: resumed !== null, continued, restored, failed })
    if (resumed === null) return void io.print('Nothing is paused')
    io.print(`Resumed: ${plural(continued.length, 'agent')} ${continued.length === 1 ? 'goes' : 'go'} on`)
    if (restored.length > 0) io.print(`  restored, because it had ended: ${restored.join(', ')}`)
    for (const { sessionId, why } of failed) io.note(`${sessionId}: ${toOneLine(why)}`)
    return failed.length > 0 ? 1 : undefined
  },
})

/** Without the paths, which nobody needs. */
function toJson({ stopped, ...pause }: FleetPause): unknown {
  return { ...pause, stopped: stopped.map(({ sessionId, inTurn, place }) => ({ sessionId, inTurn, place })) }
}
