// `ao pr checks`: the checks of a pull request, their logs, and running them now.
import { AoError } from '../../../contract/errors.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { createProgress } from '../../print/progress.ts'
import { openForge } from './open-forge.ts'
import { PULL_ARGUMENT } from './view.ts'

const LOG_BYTES = 4 * 1024 * 1024

export const prChecksCommand = defineCommand({
  name: 'pr checks',
  about: 'Show the checks of a pull request, run them, or read a log',
  details: 'Exit code 1 when a check failed, 8 when one is still to run.',
  args: { pr: PULL_ARGUMENT },
  options: {
    run: { about: 'Run what is due, and wait for what another process runs' },
    log: { value: 'check', about: 'Print the log of this check' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ number, headSha, ci, checks: [{ id, name, status, note? }], failingOnBase: [name] }',
  async run({ args, options }, io) {
    const { forge } = await openForge(io, options.project)
    const [{ requirePull }, { observePull }] = await Promise.all([
      import('../../../forge/pulls/find-pull.ts'),
      import('../../../forge/pulls/observe-pulls.ts'),
    ])
    const pull = requirePull(forge, args.pr)
    if (options.run) {
      const { finishChecks } = await import('../../../forge/ci/finish-checks.ts')
      const progress = createProgress(io)
      await finishChecks(forge, pull.number, { onProgress: progress.step }).finally(progress.end)
    }
    const { headSha, ci, checks, failingOnBase } = await observePull(forge, forge.pulls.read(pull.number) ?? pull)
    if (options.log !== undefined) {
      const check = checks.find(({ name }) => name === options.log)
      if (!check)
        throw new AoError(
          'USAGE',
          `There is no check ${options.log}; there are: ${checks.map(({ name }) => name).join(', ') || 'none'}`,
        )
      const { readCheckLog } = await import('../../../forge/ci/check-log.ts')
      return void io.write(toSafeLines(readCheckLog(forge, check, LOG_BYTES)))
    }
    if (options.json) io.json({ number: pull.number, headSha, ci, checks, failingOnBase })
    else if (checks.length === 0)
      io.note('This project has no CI commands: scm: { plugin: local, ci: { commands: […] } }')
    else
      for (const { name, status, note } of checks) {
        const more = [failingOnBase.includes(name) ? `fails on ${pull.base} too` : '', note ?? ''].filter(Boolean)
        io.print(`${paint(io, status)} ${name}${more.length > 0 ? ` (${toOneLine(more.join('; '))})` : ''}`)
      }
    if (checks.some(({ status }) => status === 'failed')) return 1
    return ci === 'pending' ? 8 : 0
  },
})

function paint(io: { style: Record<'red' | 'green' | 'yellow', (text: string) => string> }, status: string): string {
  const colour = status === 'passed' ? 'green' : status === 'failed' ? 'red' : 'yellow'
  return io.style[colour](status.padEnd(7))
}
