// `ao doctor`: what is missing or broken, and what to do about it.

import { AoError } from '../../../contract/errors.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { type Finding, guarded, printFindings } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import { type Ao, openAo } from '../open-ao.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  about: 'Check this machine, the configuration and the sessions, and say what to do',
  details:
    'The exit code is 1 when something is broken. Worktrees without a session are only reported, because they may hold work. --verify repairs nothing.',
  args: { exports: { about: 'With --verify: exported sessions to read as well', variadic: true, completes: 'file' } },
  options: {
    verify: { about: 'Read everything that is kept, and compare it with its hashes' },
    fix: { about: 'Finish or roll back interrupted operations, and remove their leftovers' },
    'test-notify': { about: 'Send a test through every notifier' },
    bundle: {
      value: 'file',
      about: 'Also write a support bundle, without secrets',
      completes: 'file',
    },
    json: JSON_OPTION,
  },
  json: "{ ok, checks: [{ level: 'pass' | 'warn' | 'fail', name, detail, fix? }], bundle: path | null }",
  async run({ args, options }, io) {
    if (!options.verify && args.exports.length > 0)
      throw new AoError('USAGE', 'Exports are read with --verify', { hint: 'ao doctor --verify <file>' })
    const findings = options.verify
      ? await verified(io, args.exports)
      : await examine(io, { fix: options.fix, testNotify: options['test-notify'] })
    const failed = findings.some(({ level }) => level === 'fail')
    const bundle = options.bundle === undefined ? null : await bundleOf(options.bundle, findings, io)
    if (options.json) io.json({ ok: !failed, checks: findings, bundle })
    else printFindings(findings, io)
    if (bundle !== null && !options.json) io.print(`wrote ${bundle}; read it before you send it`)
    return failed ? 1 : 0
  },
})

async function bundleOf(file: string, findings: Finding[], io: Io): Promise<string> {
  const { writeBundle } = await import('./write-bundle.ts')
  return writeBundle(file, findings, io)
}

async function verified(io: Io, exports: readonly string[]): Promise<Finding[]> {
  const { verifyHome } = await import('../verify/verify-home.ts')
  return guarded('verify', () => verifyHome(io, exports))
}

interface Wanted {
  fix: boolean
  testNotify: boolean
}

/** All checks run at once: most of the time is spent on servers and programs. */
async function examine(io: Io, options: Wanted): Promise<Finding[]> {
  const [{ checkTools }, { checkWrappers }] = await Promise.all([
    import('./check-tools.ts'),
    import('./check-wrappers.ts'),
  ])
  let ao: Ao | undefined
  const opened = await guarded('configuration', async () => {
    try {
      ao = await openAo(io)
    } catch (error) {
      if (!(error instanceof AoError) || error.code !== 'CONFIG_NOT_FOUND') throw error
      return [{ level: 'warn', name: 'configuration', detail: error.message, fix: error.hint }]
    }
    return []
  })
  return together([
    guarded('tools', () => checkTools(io)),
    guarded('wrappers', () => checkWrappers(io, options)),
    ao ? examineProjects(ao, io, options) : examineWithout(opened, io),
  ])
}

/** Before `ao init` that is not a problem, but what will be needed can already be reported. */
async function examineWithout(opened: Finding[], io: Io): Promise<Finding[]> {
  const { checkMachine } = await import('./check-machine.ts')
  return [...(await guarded('machine', () => checkMachine(io))), ...opened]
}

async function examineProjects(ao: Ao, io: Io, options: Wanted): Promise<Finding[]> {
  const [projects, gitData, plugins, forges, agents, places, loop, data, leftovers] = await Promise.all([
    import('./check-projects.ts'),
    import('./check-git-data.ts'),
    import('./check-plugins.ts'),
    import('./check-forges.ts'),
    import('./check-agents.ts'),
    import('./check-places.ts'),
    import('./check-loop.ts'),
    import('./check-data.ts'),
    import('./check-leftovers.ts'),
  ])
  return together([
    guarded('projects', () => projects.checkProjects(ao, io)),
    guarded('git data', () => gitData.checkGitData(ao, io)),
    guarded('plugins', () => plugins.checkPlugins(ao)),
    guarded('forges', () => forges.checkForges(ao, io)),
    guarded('agents', () => agents.checkAgents(ao, io)),
    guarded('places', () => places.checkPlaces(ao)),
    guarded('loop', () => loop.checkLoop(ao, io)),
    // What --fix repairs is no longer a leftover.
    guarded('data', () => data.checkData(ao, io, options)).then(async (found) => [
      ...found,
      ...(await guarded('leftovers', () => leftovers.checkLeftovers(ao, options))),
    ]),
    options.testNotify ? guarded('notifiers', () => testNotifiers(ao)) : Promise.resolve([]),
  ])
}

async function together(checks: Array<Promise<Finding[]>>): Promise<Finding[]> {
  return (await Promise.all(checks)).flat()
}

async function testNotifiers(ao: Ao): Promise<Finding[]> {
  const { checkNotifiers } = await import('./check-notifiers.ts')
  return checkNotifiers(ao)
}
