// `ao session snooze`: a person puts off what a session needs.
import { AoError } from '../../../contract/errors.ts'
import { readTime } from '../../../core/text/read-time.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'
import { readNeeds } from './read-needs.ts'

export const sessionSnoozeCommand = defineCommand({
  name: 'session snooze',
  about: 'Snooze what a session needs from you',
  details: 'It leaves the queue until then, unless it needs something else meanwhile. A permission cannot be put off.',
  args: {
    session: { about: 'Session id', required: true, completes: 'session' },
    time: { about: 'Duration, such as 30m or 2h (default 1h)' },
  },
  options: { off: { about: 'Stop snoozing' }, json: JSON_OPTION },
  json: '{ sessionId, need, until }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const { manager } = ao
    if (options.off) {
      await manager.snooze(args.session, null)
      if (options.json) return void io.json({ sessionId: args.session, need: null, until: null })
      return void io.print(`${args.session} counts again`)
    }
    const card = (await readNeeds(ao)).find(({ id }) => id === args.session)
    if (!card?.need)
      throw new AoError('USAGE', `${args.session} needs nothing from you`, { hint: 'Who does: ao next --json' })
    const until = new Date(io.clock.now().getTime() + readTime('<time>', args.time ?? '1h'))
    await manager.snooze(args.session, { until, need: card.need.kind })
    if (options.json) return void io.json({ sessionId: args.session, need: card.need.kind, until: until.toISOString() })
    io.print(`${args.session} is put off until ${until.toISOString()}`)
  },
})
