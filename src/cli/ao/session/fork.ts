// `ao session fork`: a second session that begins with the files of another, and its conversation where the agent can copy it.
import { recordOf } from '../../../contract/record.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { openAo } from '../open-ao.ts'

export const sessionForkCommand = defineCommand({
  name: 'session fork',
  inside: ORCHESTRATOR,
  about: 'Start a second session with the files of another, as they are now',
  details:
    'It gets a worktree and a branch of its own with the same staged, changed and untracked files; ignored files are left out. Where its agent cannot copy the conversation, it begins a new one; the output says which. The other session is not touched.',
  args: { session: { about: 'The session to begin with', required: true, completes: 'session' } },
  options: {
    at: {
      value: 'turn',
      about: 'Begin before this turn, or with this commit and a new conversation',
    },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao session fork app-3 --at 2', about: 'Try something else from where it was before its second turn' },
    { line: 'ao session fork app-3 --at HEAD~2', about: 'Try something else from where it was two commits ago' },
  ],
  json: "{ session: Session, forkedFrom, conversation: 'copied' | 'new' }",
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const onNotice = (line: string) => io.note(`${io.noteStyle.yellow('warning:')} ${toOneLine(line)}`)
    const session = await withProgress(io, 'The fork was interrupted', (onProgress) =>
      ao.manager.fork(args.session, { onProgress, onNotice, at: options.at }),
    )
    const conversation = recordOf(session).forkConversation ?? 'new'
    if (options.json) return void io.json({ session: toSessionJson(session), forkedFrom: args.session, conversation })
    io.print(`${io.style.green('started')} ${io.style.bold(session.id)} with the files of ${args.session}`)
    io.print(`  on branch ${session.branch}, ${CONVERSATION[conversation]}`)
    io.print(`SESSION=${session.id}`)
  },
})

const CONVERSATION = {
  copied: 'with a copy of the conversation',
  new: 'in a new conversation: only files come along',
}
