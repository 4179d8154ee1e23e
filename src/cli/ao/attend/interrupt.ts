// `ao session interrupt`: stops the turn of an agent, in a terminal with the agent's own key.
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const sessionInterruptCommand = defineCommand({
  name: 'session interrupt',
  about: 'Stop the turn that an agent is working on',
  details:
    "The agent stays and waits for your next message. In a terminal ao presses the agent's own key, if it knows one.",
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { json: JSON_OPTION },
  json: '{ sessionId }',
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    await manager.stopTurn(args.session)
    if (options.json) return void io.json({ sessionId: args.session })
    io.print(`the turn of ${io.style.bold(args.session)} was stopped`)
  },
})
