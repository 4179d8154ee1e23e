// `ao radar`: which live branches meet, before anyone merges.

import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { closeRadars } from '../../../manager/observe/radar.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { createProgress } from '../../print/progress.ts'
import { requireProject } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'
import { renderRadar } from './render-radar.ts'

/** A person waits for all of it. */
const BUDGET_MS = 120_000

export const radarCommand = defineCommand({
  name: 'radar',
  inside: ORCHESTRATOR,
  about: 'Show which live branches conflict or change the same files',
  details:
    'Every pair that shares a file is really merged, with uncommitted work; nothing of yours is touched. Lines are those of the file that the branch started from.',
  options: {
    project: PROJECT_OPTION,
    hunks: { about: 'Both sides of each conflict, and logs of what fails together' },
    json: JSON_OPTION,
  },
  json: '{ projects: [{ projectId, base, branches, meetings: [{ a, b, kind, files, … }], red: [{ a, b, heads, commit, check, test, log }], ready, pending, note }], problems }',
  async run({ options }, io) {
    const ao = await openAo(io)
    if (options.project !== undefined) requireProject(ao.config, options.project)
    const progress = createProgress(io)
    progress.step('Merging live branches with each other')
    const answer = await ao.manager.radar(options.project, { budgetMs: BUDGET_MS }).finally(() => {
      progress.end()
      closeRadars(ao)
    })
    if (options.json) return void io.json(answer)
    for (const [index, picture] of answer.projects.entries()) {
      if (index > 0) io.print()
      io.printLines(renderRadar(picture, { style: io.style, width: io.width(), hunks: options.hunks }))
    }
    for (const { projectId, message } of answer.problems)
      io.note(`${io.noteStyle.yellow('warning:')} ${projectId} could not be observed: ${message}`)
  },
})
