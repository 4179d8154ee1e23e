// Commands about the conversations that agents keep by themselves: fork, close, delete, list.
import { resolve } from 'node:path'
import { aghCommand, SESSION_ARGUMENT } from './agh-command.ts'
import { sessionLines } from './lines.ts'
import { callersEnvironment } from './session-new.ts'

const WHERE = 'Refused where the agent does not advertise it; `agent_can` of agh session inspect says what it does.'

export const sessionForkCommand = aghCommand({
  name: 'session fork',
  about: 'Start a session whose conversation begins as a copy of another',
  details: `The other one is not touched, and may be stopped. From then on each has a conversation and a history of its own; files are not copied.\n${WHERE}`,
  args: { session: SESSION_ARGUMENT },
  options: {
    name: { short: 'n', value: 'text', about: 'A name for people' },
    cwd: { value: 'path', about: 'Directory to work in (default: that of the other session)' },
  },
  async run({ args, options, io, agh, show }) {
    const body = {
      name: options.name,
      workspace_path: options.cwd === undefined ? undefined : resolve(io.cwd, options.cwd),
      environment: callersEnvironment(io),
    }
    const answer = await agh.call('POST /api/sessions/:id/fork', { params: { id: args.session }, body })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionCloseCommand = aghCommand({
  name: 'session close',
  about: 'Have the agent close the conversation, then stop the session',
  details: `The session is stopped whether or not the agent answers; how it went is its stop detail. Its history stays.\n${WHERE}`,
  args: { session: SESSION_ARGUMENT },
  async run({ args, io, agh, show }) {
    const answer = await agh.call('POST /api/sessions/:id/close', { params: { id: args.session } })
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionDeleteCommand = aghCommand({
  name: 'session delete',
  about: 'Have the agent delete the conversation of a stopped session',
  details: `Only what the agent itself keeps: the history here stays, and a resume begins a new conversation with a recap of it.\n${WHERE}`,
  args: { session: SESSION_ARGUMENT },
  async run({ args, io, agh, show }) {
    const ask = { params: { id: args.session }, body: { environment: callersEnvironment(io) } }
    const answer = await agh.call('POST /api/sessions/:id/conversation/delete', ask)
    show(answer, () => sessionLines(io, answer.session))
  },
})

export const sessionConversationsCommand = aghCommand({
  name: 'session conversations',
  about: 'List the conversations that the agent of a running session keeps',
  details: `Those of its directory, in the order of the agent, at most 1,000.\n${WHERE}`,
  args: { session: SESSION_ARGUMENT },
  options: { all: { about: 'Of all directories' } },
  async run({ args, options, io, agh, showTable }) {
    const answer = await agh.call('GET /api/sessions/:id/conversations', {
      params: { id: args.session },
      query: { all: options.all || undefined },
    })
    showTable({
      whole: answer,
      rows: answer.conversations,
      empty: 'The agent lists no conversations',
      columns: [
        { title: 'CONVERSATION', text: ({ id }) => id, min: 12 },
        { title: 'SESSION', text: ({ session_id }) => session_id ?? '-' },
        { title: 'CHANGED', text: ({ updated_at }) => updated_at ?? '', drop: 1 },
        { title: 'TITLE', text: ({ title }) => title ?? '', min: 10 },
      ],
    })
    if (answer.truncated) io.note('The agent has more than these')
    return undefined
  },
})
