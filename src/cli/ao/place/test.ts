// `ao place test`: can this place be reached, and has it what agents need?
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const placeTestCommand = defineCommand({
  name: 'place test',
  about: 'Check that a place can be reached and used',
  details: 'Nothing is started there, and nothing is left behind.',
  args: { place: { about: 'Name of the place', required: true } },
  options: { json: JSON_OPTION },
  json: '{ place, detail }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const detail = await ao.manager.testPlace(args.place)
    if (options.json) return void io.json({ place: args.place, detail })
    io.print(`${io.style.green('ok')} ${args.place}: ${detail}`)
  },
})
