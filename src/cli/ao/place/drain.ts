// `ao place drain`: a place takes no new sessions, for maintenance or before it is removed.
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const placeDrainCommand = defineCommand({
  name: 'place drain',
  about: 'Let a place take no new sessions; with --undo it takes them again',
  details: 'Sessions that are there continue. Move them with: ao session move <session> --place <other>',
  args: { place: { about: 'Name of the place', required: true } },
  options: { undo: { about: 'Let it take new sessions again' }, json: JSON_OPTION },
  json: '{ place, draining, sessions: [id] }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    await ao.manager.drainPlace(args.place, !options.undo)
    const { sessions = [] } = (await ao.manager.listPlaces()).find(({ name }) => name === args.place) ?? {}
    if (options.json) return void io.json({ place: args.place, draining: !options.undo, sessions })
    if (options.undo) return void io.print(`${args.place} takes new sessions`)
    io.print(`${args.place} takes no new sessions`)
    if (sessions.length > 0) io.print(`  still there: ${sessions.join(', ')}`)
  },
})
