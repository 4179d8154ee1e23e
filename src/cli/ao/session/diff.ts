// `ao session diff`: what a session has changed so far.

import { OWN_SESSION } from '../../../core/boundary/rights.ts'
import { requireAnySession } from '../../../manager/observe/require-session.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { renderDiff } from '../../print/diff.ts'
import { openAo } from '../open-ao.ts'

export const sessionDiffCommand = defineCommand({
  name: 'session diff',
  inside: OWN_SESSION,
  about: 'Show what a session has changed, uncommitted work included',
  details:
    'Compared with where its branch left the base branch. Very large changes are cut at a file, and the last line says so. Control characters are shown as numbers.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    raw: { about: 'Print the exact bytes, for programs such as git apply' },
    json: JSON_OPTION,
  },
  json: '{ sessionId, base, head, diff, truncated }',
  tool: {
    name: 'read_diff',
    title: 'Read the changes',
    description: 'What a session has changed against the base branch, uncommitted work included, as a unified diff.',
    hints: READS,
    input: { session: {} },
    output: { diff: 'text', truncated: 'flag' },
  },
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const { session } = await requireAnySession(ao.context, args.session)
    const answer = await ao.manager.diff(session)
    if (options.json) return void io.json({ sessionId: session.id, ...answer })
    if (options.raw) io.writeRaw(answer.diff)
    else io.write(renderDiff(answer.diff, io.style))
    if (answer.truncated) io.note(`${io.noteStyle.yellow('warning:')} the diff is too large and was cut`)
  },
})
