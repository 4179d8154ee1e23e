// `ao session attach`.
import { requireSession } from '../../../manager/observe/require-session.ts'
import { defineCommand } from '../../command.ts'
import { openAo } from '../open-ao.ts'
import { attachHere } from './attach-here.ts'

export const sessionAttachCommand = defineCommand({
  name: 'session attach',
  about: "See and use a session's terminal in this one",
  details: 'The first line says how to leave; the agent keeps running. Works inside your own tmux too.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { 'read-only': { short: 'r', about: 'Read-only: what you type does not reach the agent' } },
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const session = await requireSession(ao.context, args.session)
    return attachHere(ao, session, io, { readOnly: options['read-only'] })
  },
})
