// `ao session rename`: a name that a person gives a session.
import { AoError } from '../../../contract/errors.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const sessionRenameCommand = defineCommand({
  name: 'session rename',
  about: 'Rename a session',
  details: 'The name can be used in place of the id in every command.',
  args: {
    session: { about: 'Session id', required: true, completes: 'session' },
    title: { about: 'Its name, one line' },
  },
  options: { reset: { about: 'Go back to the name derived from its task' }, json: JSON_OPTION },
  json: '{ sessionId, title: text or null }',
  async run({ args, options }, io) {
    if ((args.title === undefined) !== options.reset)
      throw new AoError('USAGE', options.reset ? '--reset takes no name' : 'Which name?', {
        hint: `ao session rename ${args.session} "A name"`,
      })
    const { manager } = await openAo(io)
    const title = await manager.rename(args.session, options.reset ? null : (args.title ?? ''))
    if (options.json) return void io.json({ sessionId: args.session, title })
    io.print(title === null ? `${args.session} is called after its task` : `${args.session} is called: ${title}`)
  },
})
