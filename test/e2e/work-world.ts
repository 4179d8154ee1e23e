// Work with a shape, as docs/work.md shows it: a stack, three tries, a group, a plan, findings of a reviewer, and schedules.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRepo } from '../support/git-repo.ts'
import { waitFor } from '../support/wait-for.ts'
import { type BrowserWorld, createBrowserWorld } from './browser-world.ts'

export interface WorkWorld extends BrowserWorld {
  /** Ids of tasks and sessions. */
  ids: { tries: string; group: string; plan: string; stack: string[]; reviewed: string }
  /** Of the pull request with findings. */
  pull: number
}

const CONFIG = `port: 0
lifecycle: { pollSeconds: 1 }
defaults: { agent: demo, runtime: process, notifiers: [] }
projects:
  shop:
    path: .
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: test, run: node --test }] } }
    agentConfig: { permissions: skip }
    speculate: true
    reactions: { review-findings: { action: notify } }
    schedules:
      dependencies: { when: '0 3 * * 1-5', timezone: Europe/Berlin, prompt: Update what is out of date }
      flaky-tests: { when: '0 */6 * * *', prompt: Look for tests that fail now and then }
    triggers:
      fix: { label: ao-fix, prompt: Fix it and add a test }
  web: { path: ../web, tracker: local, scm: local, agentConfig: { permissions: skip } }
`

const script = (...lines: string[]) => ['```demo', ...lines, 'finish Done.', '```'].join('\n')
const work = (file: string, text: string) => script(`write src/${file} ${text}`, `commit ${file}`, `pr Change ${file}`)

const PLAN = [
  {
    key: 'schema',
    title: 'Keep prices in cents',
    body: 'One migration, and the types that follow from it.',
    needs: [],
  },
  {
    key: 'api',
    title: 'Answer with cents and a currency',
    body: 'Old clients get what they get today.',
    needs: ['schema'],
  },
  { key: 'ui', title: 'Show prices in the currency of the customer', body: '', needs: ['api'] },
  { key: 'docs', title: 'Document how prices are rounded', body: '', needs: ['schema'] },
]

export async function createWorkWorld(): Promise<WorkWorld> {
  const world = await createBrowserWorld()
  const { ao, json, repo, home } = world
  createRepo(join(home, 'web'), { ...process.env, HOME: home })
  writeFileSync(join(repo, 'agent-orchestrator.yaml'), CONFIG)
  ao('config', 'trust', '--yes')
  const issue = (title: string, body: string) =>
    json<{ issue: { id: string } }>('issue', 'new', title, '--body', body, '-p', 'shop').issue.id
  const spawn = (...args: string[]) => json<{ session: { id: string } }>('spawn', ...args).session.id
  const started = (...args: string[]) =>
    json<{ task: { id: string }; sessions: Array<{ id: string }> }>('spawn', ...args)

  const parser = spawn(
    `shop/${issue('Parse the new price list', work('parse.js', 'export const parse = (text) => text.split(",")'))}`,
  )
  const importer = spawn(
    `shop/${issue('Use it in the importer', work('import.js', 'export const load = (file) => file'))}`,
    ...['--needs', parser],
  )
  const docs = spawn(
    `shop/${issue('Describe the format for suppliers, with an example of each column and of every mistake that people make', script('ask Which columns are optional?'))}`,
    ...['--needs', parser],
  )
  const removal = spawn(`shop/${issue('Remove the old parser', script())}`, '--needs', `${importer},${docs}`)
  const last = spawn(`shop/${issue('Delete the old price lists', script())}`, '--needs', removal)

  const different =
    'run sh -c "printf \'// by %s\\n\' $AO_SESSION > src/cache.js; seq 1 $$ | head -n 12 >> src/cache.js"'
  const tries = started(
    `shop/${issue('Cache the price list', script(different, 'commit Cache the price list', 'pr Cache the price list'))}`,
    ...['--times', '3'],
  )
  const group = started(
    `shop/${issue('Show the currency everywhere', work('currency.js', 'export const currency = "EUR"'))}`,
    ...['--projects', 'shop,web'],
  )
  const reviewed = spawn(
    `shop/${issue('Split a bill', work('split.js', 'export function split(total, people) {\\n  // TODO: rounding\\n  return total / people\\n}'))}`,
  )
  const proposal = join(home, 'plan.json')
  writeFileSync(proposal, JSON.stringify({ children: PLAN }))
  const whole = issue('Prices in other currencies', '')
  const { plan } = json<{ plan: { id: string } }>('plan', 'propose', `shop/${whole}`, '--file', proposal)
  writePastRuns(home)

  interface Pull {
    number: number
    session: string | null
    ci: string
  }
  const pullOf = async (session: string) => {
    const { pullRequests } = json<{ pullRequests: Pull[] }>('pr', 'ls', '--all', '-p', 'shop')
    return pullRequests.find((pull) => pull.session === session && pull.ci === 'passing')
  }
  const { number } = await waitFor('a green pull request', () => pullOf(reviewed), 60_000)
  ao('review', 'start', reviewed)
  await waitFor('its findings', () => ao('review', 'ls', reviewed).includes('dividing by zero'), 60_000)
  for (const { id } of tries.sessions) await waitFor(`the pull request of ${id}`, () => pullOf(id), 60_000)
  const ids = {
    tries: tries.task.id,
    group: group.task.id,
    plan: plan.id,
    stack: [parser, importer, docs, removal, last],
    reviewed,
  }
  return { ...world, ids, pull: number }
}

/** One that ran every night, one that was missed while the machine slept, and one that could not start. */
function writePastRuns(home: string): void {
  const data = join(home, '.agent-orchestrator')
  const directory = readdirSync(data).find((name) => name.endsWith('-shop'))!
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000).toISOString()
  const since = hours(0)
  const dependencies = [
    { due: hours(62), state: 'started', session: 'shop-41' },
    { due: hours(38), state: 'failed', why: 'The agent is signed out' },
    { due: hours(14), state: 'started', session: 'shop-44', missed: 1 },
  ]
  const flaky = [{ due: hours(5), state: 'skipped', why: 'shop-39 has not ended yet' }]
  writeFileSync(
    join(data, directory, 'schedules.json'),
    JSON.stringify({
      dependencies: { since, runs: dependencies },
      'flaky-tests': { since, runs: flaky, paused: true },
    }),
  )
}
