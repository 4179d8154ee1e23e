// `ao feedback new`: what the tools of `ao mcp` do, for agents that do not support MCP servers.
import { AoError } from '../../../contract/errors.ts'
import { IN_A_SESSION } from '../../../core/boundary/rights.ts'
import { FEEDBACK_TOOLS, type FeedbackTool } from '../../../store/feedback/feedback-schema.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'

export const feedbackNewCommand = defineCommand({
  name: 'feedback new',
  inside: IN_A_SESSION,
  about: 'Report a bug in ao, or an idea for it, from inside a session',
  details: 'For agents. It is about ao itself, not about the project.',
  args: { tool: { about: FEEDBACK_TOOLS.join(' or '), required: true, completes: FEEDBACK_TOOLS } },
  options: {
    title: { value: 'text', about: 'Short title, one line' },
    body: { value: 'text', about: 'What happened, what you expected, how to reproduce it' },
    source: { value: 'text', about: 'Where it came up in the session: a command, a message, a file' },
    confidence: { value: 'number', about: 'How sure you are, from 0 to 1' },
    evidence: { value: 'text', about: 'An error text, an output, a path; may be repeated', repeatable: true },
    json: JSON_OPTION,
  },
  examples: [
    {
      line: 'ao feedback new bug_report --title "…" --body "…" --source "ao send app-1" --confidence 0.9',
      about: 'A bug',
    },
  ],
  json: '{ id, stored, duplicateOf? }',
  async run({ args, options }, io) {
    const tool = FEEDBACK_TOOLS.find((name) => name === args.tool)
    if (!tool) {
      throw new AoError('USAGE', `There is no kind of report ${args.tool}; there are: ${FEEDBACK_TOOLS.join(', ')}`)
    }
    const { addFeedback, describeAdded } = await import('../../../mcp/feedback-tools.ts')
    const added = await addFeedback(tool satisfies FeedbackTool, inputOf(options), { env: io.env, clock: io.clock })
    if (options.json) return void io.json({ ...added })
    io.print(describeAdded(added))
  },
})

interface Given {
  title: string | undefined
  body: string | undefined
  source: string | undefined
  confidence: string | undefined
  evidence: string[]
}

/** The store reports missing or invalid fields by name. */
function inputOf({ title, body, source, confidence, evidence }: Given) {
  return {
    title: title ?? '',
    body: body ?? '',
    source: source ?? '',
    confidence: Number(confidence ?? 'NaN'),
    evidence,
  }
}
