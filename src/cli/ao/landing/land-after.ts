// `ao land why|retry`: what happened after a landing, step by step.
import type { ProjectConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import type { AfterStep, Landing } from '../../../core/landing/decide-after.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { openProject } from '../pr/open-forge.ts'

const COMMIT = { about: 'The landed commit, or its beginning (default: the last one)' } as const

export const landWhyCommand = defineCommand({
  name: 'land why',
  inside: EVERYONE,
  about: 'Show what happened after a landing: its steps and the end of their logs',
  args: { commit: COMMIT },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ landing: { commit, pull, at, steps: [{ name, state, attempts, at, why, log }] } }',
  async run({ args, options }, io) {
    const { project, projectDir } = await openProject(io, options.project)
    const landing = await requireLanding(projectDir, args.commit)
    const { readAfterLog } = await import('../../../landing/after-landing.ts')
    const steps = stepsOf(project).map((step) => ({
      ...{ name: step.name, state: 'waiting', attempts: 0, at: null, why: null },
      ...landing.steps[step.name],
      log: readAfterLog(projectDir, landing.commit, step),
    }))
    if (options.json) return void io.json({ landing: { ...landing, steps } })
    printLanding(landing, project, io)
    for (const { name, log } of steps.filter((one) => one.log !== ''))
      io.print(`\n${io.style.dim(`${name}:`)}\n${toSafeLines(log.trimEnd())}`)
  },
})

export const landRetryCommand = defineCommand({
  name: 'land retry',
  about: 'Run the steps after a landing again that were interrupted or failed',
  details: 'A step that was killed midway may have done its work: make sure that repeating it does no harm.',
  args: { commit: COMMIT },
  options: { project: PROJECT_OPTION, json: JSON_OPTION },
  json: '{ commit, steps: [name] }',
  async run({ args, options }, io) {
    const { projectDir, claim } = await openProject(io, options.project)
    claim()
    const { commit } = await requireLanding(projectDir, args.commit)
    const { changeAfter } = await import('../../../landing/after-landing.ts')
    const steps: string[] = []
    await changeAfter(projectDir, (state) => ({
      ...state!,
      landings: state!.landings.map((one) => (one.commit === commit ? { ...one, steps: without(one, steps) } : one)),
    }))
    if (options.json) return void io.json({ commit, steps })
    io.print(
      steps.length === 0
        ? `Nothing after ${commit.slice(0, 10)} waits for you`
        : `${steps.join(', ')} after ${commit.slice(0, 10)}: ao start runs it again`,
    )
  },
})

const ENDED_BADLY: readonly string[] = ['interrupted', 'gave-up', 'failed']

function without({ steps }: Landing, taken: string[]): Landing['steps'] {
  const bad = Object.keys(steps).filter((name) => ENDED_BADLY.includes(steps[name]!.state))
  taken.push(...bad)
  return Object.fromEntries(Object.entries(steps).filter(([name]) => !bad.includes(name)))
}

async function requireLanding(projectDir: string, given: string | undefined): Promise<Landing> {
  const { readAfter } = await import('../../../landing/after-landing.ts')
  const landings = readAfter(projectDir)?.landings ?? []
  const found = given === undefined ? landings.at(-1) : landings.find(({ commit }) => commit.startsWith(given))
  if (found && (given === undefined || /^[0-9a-f]{4,}$/.test(given))) return found
  throw new AoError(
    'USAGE',
    given === undefined ? 'Nothing has landed that has steps' : `No landing ${given} is known`,
    {
      hint: 'See what has landed with: ao land ls',
    },
  )
}

function stepsOf({ landing }: ProjectConfig): AfterStep[] {
  return landing?.after ?? []
}

export function printLanding(landing: Landing, project: ProjectConfig, io: Io): void {
  const now = io.clock.now()
  const what = landing.pull === null ? '' : ` (#${landing.pull})`
  io.print(toOneLine(`after ${landing.commit.slice(0, 10)}${what}, ${formatAge(new Date(landing.at), now)} ago:`))
  for (const { name } of stepsOf(project)) {
    const run = landing.steps[name]
    const times = run && run.attempts > 1 ? `, ${run.attempts} times` : ''
    io.print(toOneLine(`  ${name}: ${run?.state ?? 'waiting'}${times}${run?.why ? `; ${run.why}` : ''}`))
  }
}
