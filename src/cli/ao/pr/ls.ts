// `ao pr ls`: the pull requests of a project, on whichever forge.
import { AoError } from '../../../contract/errors.ts'
import type { Pull } from '../../../contract/pull.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { recordedRisk } from '../../../core/review/recorded-risk.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { renderTable } from '../../print/table.ts'
import { recordsOf } from './find-pull.ts'
import { openPulls } from './open-forge.ts'
import { PULL_JSON, pullJson } from './pr-json.ts'

const LIMIT = 30

export const prLsCommand = defineCommand({
  name: 'pr ls',
  inside: EVERYONE,
  about: 'List pull requests, newest first',
  options: {
    all: { short: 'a', about: 'Also merged and closed ones' },
    limit: { value: 'count', about: `Maximum number (default: ${LIMIT}, on the local forge all)` },
    project: PROJECT_OPTION,
    quiet: { short: 'q', about: 'Print only numbers, one per line' },
    json: JSON_OPTION,
  },
  json: `{ pullRequests: [${PULL_JSON}] }`,
  tool: {
    name: 'list_pull_requests',
    title: 'List pull requests',
    description: 'Pull requests of a project, on whichever forge, newest first.',
    hints: READS,
    input: { project: {}, all: {} },
    output: {},
  },
  async run({ options }, io) {
    const limit = readLimit(options.limit)
    const opened = await openPulls(io, options.project)
    const { scm, project } = opened
    const { requireAbility } = await import('../../../landing/read-pull.ts')
    const list = requireAbility({ scm }, 'listPRs')
    const most = limit ?? (scm.costsNothing ? Number.MAX_SAFE_INTEGER : LIMIT)
    const pulls = await list({ state: options.all ? 'all' : 'open', limit: most }, project)
    if (options.quiet && !options.json) return void io.printLines(pulls.map(({ pr }) => String(pr.number)))
    const records = await recordsOf(io, opened)
    const riskOf = ({ pr, state, headSha }: Pull) => {
      const record = records.get(pr.url)
      return state === 'open' && record?.prHead === headSha ? recordedRisk(record, headSha) : undefined
    }
    if (options.json) return void io.json({ pullRequests: pulls.map((pull) => pullJson(pull, riskOf(pull))) })
    if (pulls.length === 0) return void io.note('There is no open pull request.')
    const now = io.clock.now()
    const lines = renderTable<Pull>(
      [
        { title: 'PR', text: ({ pr }) => `#${pr.number}` },
        { title: 'STATE', text: ({ state, pr }) => (state === 'open' && pr.isDraft ? 'draft' : state) },
        { title: 'CI', text: ({ ci }) => (ci === 'none' ? '' : ci) },
        { title: 'REVIEW', text: ({ state, review }) => (state === 'open' ? review.replace('_', ' ') : ''), drop: 1 },
        { title: 'CONFLICTS', text: ({ hasConflicts }) => (hasConflicts ? 'yes' : ''), drop: 2 },
        { title: 'RISK', text: (pull) => String(riskOf(pull)?.score ?? ''), align: 'right', drop: 2 },
        { title: 'SESSION', text: ({ session }) => session ?? '', drop: 3 },
        {
          title: 'AGE',
          text: ({ createdAt }) => (createdAt ? formatAge(new Date(createdAt), now) : ''),
          align: 'right',
        },
        { title: 'TITLE', text: ({ pr }) => pr.title ?? '', min: 16 },
      ],
      pulls,
      { width: io.width(), paintTitle: io.style.dim },
    )
    for (const line of lines) io.print(line)
    if (limit === undefined && pulls.length === most) io.note(`There may be more: ao pr ls --limit ${most * 2}`)
  },
})

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9][0-9]{0,3}$/.test(text)) return Number(text)
  throw new AoError('USAGE', `--limit is a number from 1 to 9999, not ${JSON.stringify(text)}`)
}
