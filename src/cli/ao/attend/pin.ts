// `ao session pin` and `unpin`: sessions that a person keeps at hand, first in every list.
import { requireAnySession } from '../../../manager/observe/require-session.ts'
import { pin, unpin } from '../../../store/saved.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

const session = { about: 'Session id', required: true, completes: 'session' } as const
const json = '{ sessionId, pinned, folder }'

export const sessionPinCommand = defineCommand({
  name: 'session pin',
  about: 'Keep a session at the top of every list',
  details: 'Pins are yours, the same in the terminal and on the page. Pinning it again moves it.',
  args: { session },
  options: { folder: { value: 'name', about: 'A folder, made by its first session' }, json: JSON_OPTION },
  json,
  async run({ args, options: { folder = null, json } }, io) {
    const { context, paths } = await openAo(io)
    const { session } = await requireAnySession(context, args.session)
    await pin(paths, session.id, folder)
    if (json) return void io.json({ sessionId: session.id, pinned: true, folder })
    io.print(folder === null ? `${session.id} is pinned` : `${session.id} is pinned in ${folder}`)
  },
})

export const sessionUnpinCommand = defineCommand({
  name: 'session unpin',
  about: 'Unpin a session',
  args: { session },
  options: { json: JSON_OPTION },
  json,
  async run({ args, options }, io) {
    const { paths } = await openAo(io)
    await unpin(paths, args.session)
    if (options.json) return void io.json({ sessionId: args.session, pinned: false, folder: null })
    io.print(`${args.session} is not pinned`)
  },
})
