// `ao doctor`: what is missing or broken, and what to do about it.

import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { type Finding, guarded, printFindings } from '../../print/findings.ts'
import { type Ao, openAo } from '../open-ao.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  about: 'Check this machine, the configuration and the sessions, and say what to do',
  details:
    'The exit code is 1 when something is broken. With --fix, commands that were interrupted are finished or rolled back, and what killed ones left is removed;\nworktrees without a session are only reported, because they may hold work.',
  args: {},
  options: {
    fix: { about: 'Finish or roll back what was interrupted, and remove what it left' },
    'test-notify': { about: 'Send a test through every notifier' },
    json: JSON_OPTION,
  },
  json: "{ ok, checks: [{ level: 'pass' | 'warn' | 'fail', name, detail, fix? }] }",
  async run({ options }, io) {
    const findings = await examine(io, { fix: options.fix, testNotify: options['test-notify'] })
    const failed = findings.some(({ level }) => level === 'fail')
    if (options.json) io.json({ ok: !failed, checks: findings })
    else printFindings(findings, io)
    return failed ? 1 : 0
  },
})

interface Wanted {
  fix: boolean
  testNotify: boolean
}

async function examine(io: Io, options: Wanted): Promise<Finding[]> {
  const [{ checkTools }, { checkWrappers }] = await Promise.all([
    import('./check-tools.ts'),
    import('./check-wrappers.ts'),
  ])
  const machine = [
    ...(await guarded('tools', () => checkTools(io))),
    ...(await guarded('wrappers', () => checkWrappers(io))),
  ]
  let ao: Ao | undefined
  const opened = await guarded('configuration', async () => {
    ao = await openAo(io)
    return []
  })
  return ao ? [...machine, ...(await examineProjects(ao, io, options))] : [...machine, ...opened]
}

async function examineProjects(ao: Ao, io: Io, options: Wanted): Promise<Finding[]> {
  const [{ checkProjects }, { checkPlugins }, { checkAgents }, { checkLoop }, { checkData }, { checkLeftovers }] =
    await Promise.all([
      import('./check-projects.ts'),
      import('./check-plugins.ts'),
      import('./check-agents.ts'),
      import('./check-loop.ts'),
      import('./check-data.ts'),
      import('./check-leftovers.ts'),
    ])
  return [
    ...(await guarded('projects', () => checkProjects(ao, io))),
    ...(await guarded('plugins', () => checkPlugins(ao))),
    ...(await guarded('agents', () => checkAgents(ao, io))),
    ...(await guarded('loop', () => checkLoop(ao, io))),
    ...(await guarded('data', () => checkData(ao, io, options))),
    ...(await guarded('leftovers', () => checkLeftovers(ao, options))),
    ...(options.testNotify ? await guarded('notifiers', () => testNotifiers(ao)) : []),
  ]
}

async function testNotifiers(ao: Ao): Promise<Finding[]> {
  const { checkNotifiers } = await import('./check-notifiers.ts')
  return checkNotifiers(ao)
}
