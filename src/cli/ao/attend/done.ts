// `ao session done`: a person says that a session's work is done.
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const sessionDoneCommand = defineCommand({
  name: 'session done',
  about: 'End a session whose work is done',
  details: 'Its workspace stays; ao session restore brings it back, and ao session kill --purge archives it.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { json: JSON_OPTION },
  json: '{ sessionId, status }',
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    await manager.finish(args.session)
    const status = (await manager.get(args.session))?.status ?? null
    if (options.json) return void io.json({ sessionId: args.session, status })
    io.print(`${io.style.bold(args.session)} is ${status}`)
  },
})
