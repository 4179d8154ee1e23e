// `ao session move`: the same session in another place, with all of its work.

import { AoError } from '../../../contract/errors.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { openAo } from '../open-ao.ts'

export const sessionMoveCommand = defineCommand({
  name: 'session move',
  about: 'Continue a session in another place, or on this machine',
  details:
    'Its agent is ended, its work comes home, and it starts again there. --force abandons a place that cannot be reached: home has the work of the last turn.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    place: { value: 'name', about: 'The place' },
    here: { about: 'This machine' },
    force: { about: 'Move even if the current place cannot be reached' },
    json: JSON_OPTION,
  },
  json: '{ session: Session }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    if ((options.place === undefined) !== options.here) {
      throw new AoError('USAGE', 'Where to?', { hint: 'Name a place with --place <name>, or say --here' })
    }
    const { id } = await requireSession(ao.context, args.session)
    const place = options.place ?? null
    const session = await withProgress(io, 'The move was interrupted', (onProgress) =>
      ao.manager.move(id, { place, force: options.force, onProgress }),
    )
    if (options.json) return void io.json({ session: toSessionJson(session) })
    io.print(`${io.style.green('moved')} ${id} to ${place ?? 'this machine'}`)
  },
})
