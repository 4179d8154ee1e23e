// `ao pr checks`: the checks of a pull request, their logs, and running them now.
import { AoError } from '../../../contract/errors.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { createProgress } from '../../print/progress.ts'
import { openPull, PULL_ARGUMENT } from './find-pull.ts'

const LOG_BYTES = 4 * 1024 * 1024

export const prChecksCommand = defineCommand({
  name: 'pr checks',
  inside: EVERYONE,
  about: 'Show the checks of a pull request, run them, or read a log',
  details: 'Exit code 1 when a check failed, 8 when one is still to run.',
  args: { pr: PULL_ARGUMENT },
  options: {
    run: { about: 'Run pending checks (local forge)' },
    log: { value: 'check', about: 'Print the log of this check' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ number, headSha, ci, checks: [{ id, name, status, note?, finding?: { verdict, text, marks: [{ path, line, to?, isOld?, text }] } }], failingOnBase: [name] }',
  async run({ args, options }, io) {
    let opened = await openPull(io, args.pr, options.project)
    if (options.run) {
      const { requireAbility } = await import('../../../landing/read-pull.ts')
      const run = requireAbility(opened, 'runChecks')
      const progress = createProgress(io)
      await run(opened.pr, opened.project, progress.step).finally(progress.end)
      opened = await openPull(io, opened.pr.url, options.project)
    }
    const { pull, project, scm } = opened
    const { headSha, ci, checks, failingOnBase } = pull
    if (options.log !== undefined) {
      const check = checks.find(({ name }) => name === options.log)
      if (!check)
        throw new AoError(
          'USAGE',
          `There is no check ${options.log}; there are: ${checks.map(({ name }) => name).join(', ') || 'none'}`,
        )
      const { readLogOf } = await import('../../../manager/pulls/read-log.ts')
      const { gates } = opened
      return void io.write(toSafeLines(await readLogOf({ scm, project, pull, gates }, check, LOG_BYTES)))
    }
    if (options.json) io.json({ number: pull.pr.number, headSha, ci, checks, failingOnBase })
    else if (checks.length === 0)
      io.note(
        scm.runChecks
          ? 'This project has no CI commands: scm: { plugin: local, ci: { commands: […] } }'
          : 'The forge reports no checks for its head.',
      )
    else
      for (const { name, status, note, finding } of checks) {
        const base = pull.pr.baseBranch ?? 'the base branch'
        const more = [
          failingOnBase.includes(name) ? `fails on ${base} too` : '',
          note ?? '',
          finding?.text ?? '',
        ].filter(Boolean)
        io.print(`${paint(io, status)} ${toOneLine(name)}${more.length > 0 ? ` (${toOneLine(more.join('; '))})` : ''}`)
      }
    if (checks.some(({ status }) => status === 'failed')) return 1
    return ci === 'pending' ? 8 : 0
  },
})

function paint(io: { style: Record<'red' | 'green' | 'yellow', (text: string) => string> }, status: string): string {
  const colour = status === 'passed' ? 'green' : status === 'failed' ? 'red' : 'yellow'
  return io.style[colour](status.padEnd(7))
}
