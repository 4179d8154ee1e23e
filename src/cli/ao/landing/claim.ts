// `ao claim`: the next number of a sequence, such as that of a migration, for one caller alone.
import { AoError } from '../../../contract/errors.ts'
import { IN_A_SESSION } from '../../../core/boundary/rights.ts'
import { resolveRules, sequencesOf } from '../../../core/landing/resolve/rules.ts'
import { localAuthor } from '../../../inside/local-author.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { openProject } from '../pr/open-forge.ts'

export const claimCommand = defineCommand({
  name: 'claim',
  inside: IN_A_SESSION,
  about: 'Take the next number of a sequence, such as that of a migration',
  details:
    'The number is higher than all that landed, were given out, or are in a branch or worktree, and is never given out again. The same caller with the same title gets the same number again.',
  args: {
    sequence: { about: 'Its name in landing.resolve', required: true },
    title: { about: "The file's name after its number: letters, digits, . _ and -" },
  },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  examples: [{ line: 'ao claim migration add_users', about: 'db/migrations/0007_add_users.sql' }],
  json: '{ sequence, number, path }',
  tool: {
    name: 'claim_number',
    title: 'Take the next number of a sequence',
    description:
      'Gives out the next free number of a sequence, such as migrations, over all branches and worktrees, and the path of its file. Ask before you create a numbered file.',
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    input: { sequence: { required: true }, title: {}, project: {} },
    output: { number: 'number', path: 'text' },
  },
  async run({ args, options }, io) {
    const { title = '' } = args
    if (!/^[\w.-]{0,100}$/.test(title))
      throw new AoError('USAGE', 'A title may hold letters, digits, . _ and - only, and 100 characters at most')
    const { project, config, projectDir, paths, log, claim } = await openProject(io, options.project)
    const sequences = sequencesOf(resolveRules(project.landing?.resolve ?? []))
    const sequence = sequences.find(({ name }) => name === args.sequence)
    if (sequence === undefined) {
      const names = sequences.map(({ name }) => name).join(', ')
      throw new AoError('USAGE', `Project ${project.id} has no sequence ${args.sequence}`, {
        hint:
          names === ''
            ? `Write one into ${config.configPath}, at the project: landing: { resolve: [{ kind: sequence, name: ${args.sequence}, files: 'db/####_*.sql' }] }`
            : `It has: ${names}`,
      })
    }
    const [{ claimNumber }, { openRepository }, { createSessionStore }] = await Promise.all([
      import('../../../landing/resolve/claim-number.ts'),
      import('../../../git/repository.ts'),
      import('../../../store/session/session-store.ts'),
    ])
    const origin = { projectId: project.id, paths: paths.project(project.id), configPath: config.configPath }
    const sessions = createSessionStore({ ...origin, clock: io.clock, log }).readAll()
    claim()
    const claimed = await claimNumber({
      sequence,
      projectDir,
      repository: openRepository(project.path, io.env),
      baseRef: `refs/heads/${project.defaultBranch}`,
      workspaces: [project.path, ...sessions.flatMap(({ record }) => record.worktree ?? [])],
      by: localAuthor(io.env),
      title,
      now: io.clock.now(),
    })
    if (options.json) return void io.json({ sequence: sequence.name, ...claimed })
    io.print(claimed.path)
  },
})
