// `ao session pause`: ends the agent, brings its work home, and pauses its place.
import { requireSession } from '../../../manager/observe/require-session.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { withProgress } from '../../print/progress.ts'
import { openAo } from '../open-ao.ts'

export const sessionPauseCommand = defineCommand({
  name: 'session pause',
  about: 'Pause a session in a sandbox: its work comes home, and only its disk is kept there',
  details:
    'Only for kubernetes places with sandboxTemplate or sandboxPool. The agent is ended, also in the middle of a turn. A message, ao session attach or ao session restore starts it again in the same sandbox; ao session kill gives the sandbox back.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { json: JSON_OPTION },
  json: '{ sessionId, status, paused: true }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const { id } = await requireSession(ao.context, args.session)
    await withProgress(io, 'The pause was interrupted', (onProgress) => ao.manager.pause(id, { onProgress }))
    if (options.json) return void io.json({ sessionId: id, status: (await ao.manager.get(id))?.status, paused: true })
    io.print(`paused ${io.style.bold(id)}`)
    io.print(`  continue it: ao session restore ${id}, or send it a message`)
  },
})
