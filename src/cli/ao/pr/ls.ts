// `ao pr ls`: the pull requests of the local forge.

import { formatAge } from '../../../core/text/format-age.ts'
import type { PullView } from '../../../forge/pulls/observe-pulls.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { renderTable } from '../../print/table.ts'
import { openForge } from './open-forge.ts'
import { PULL_JSON, pullJson } from './pr-json.ts'

export const prLsCommand = defineCommand({
  name: 'pr ls',
  about: 'List pull requests, newest first',
  details: 'Those of the local forge (scm: local); other forges have commands of their own.',
  args: {},
  options: {
    all: { short: 'a', about: 'Also merged and closed ones' },
    project: PROJECT_OPTION,
    quiet: { short: 'q', about: 'Print only numbers, one per line' },
    json: JSON_OPTION,
  },
  json: `{ pullRequests: [${PULL_JSON}] }`,
  async run({ options }, io) {
    const { forge } = await openForge(io, options.project)
    const { observePulls } = await import('../../../forge/pulls/observe-pulls.ts')
    const views = (await observePulls(forge, forge.pulls.list()))
      .filter(({ state }) => options.all || state === 'open')
      .reverse()
    if (options.json) return void io.json({ pullRequests: views.map(pullJson) })
    if (options.quiet) return void io.printLines(views.map(({ pull }) => String(pull.number)))
    if (views.length === 0) return void io.note('There is no open pull request.')
    const now = io.clock.now()
    const lines = renderTable<PullView>(
      [
        { title: 'PR', text: ({ pull }) => `#${pull.number}` },
        { title: 'STATE', text: ({ state, pull }) => (state === 'open' && pull.draft ? 'draft' : state) },
        { title: 'CI', text: ({ ci }) => (ci === 'none' ? '' : ci) },
        { title: 'REVIEW', text: ({ state, review }) => (state === 'open' ? review.replace('_', ' ') : ''), drop: 1 },
        { title: 'CONFLICTS', text: ({ hasConflicts }) => (hasConflicts ? 'yes' : ''), drop: 2 },
        { title: 'SESSION', text: ({ pull }) => pull.session ?? '', drop: 3 },
        { title: 'AGE', text: ({ pull }) => formatAge(new Date(pull.createdAt), now), align: 'right' },
        { title: 'TITLE', text: ({ pull }) => pull.title, min: 16 },
      ],
      views,
      { width: io.width(), paintTitle: io.style.dim },
    )
    for (const line of lines) io.print(line)
  },
})
