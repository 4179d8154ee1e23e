// A train as docs/landing.md shows it: what landed, what left it, what waits for the end of a pause, and a change with lines that never ran.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '../support/wait-for.ts'
import { type BrowserWorld, createBrowserWorld } from './browser-world.ts'

export interface LandingWorld extends BrowserWorld {
  /** The pull request with lines that never ran. */
  pull: number
}

const JUNIT = '--test-reporter=junit --test-reporter-destination={report}'
const LCOV = '--experimental-test-coverage --test-reporter=lcov --test-reporter-destination=lcov.info'
const CONFIG = `port: 0
lifecycle: { pollSeconds: 1 }
defaults: { agent: demo, runtime: process, notifiers: [] }
projects:
  shop:
    path: .
    tracker: local
    scm: { plugin: local, ci: { commands: [{ name: test, run: node --test }] } }
    gates:
      - { name: witness, witness: 'node --test ${JUNIT} {tests}' }
      - { name: covered, run: 'node --test ${LCOV}', coverage: lcov.info }
    agentConfig: { permissions: skip }
    landing: { mode: train, resolve: [{ kind: union, paths: [CHANGELOG.md] }] }
    reactions: { landing-failed: { action: notify } }
`

/** Each with a test that fails without it, and a line in the changelog. */
function change(title: string, name: string, body: readonly string[], test: string): string {
  const tested = [
    "import assert from 'node:assert'",
    "import { test } from 'node:test'",
    `import { ${name} } from '../src/${name}.js'`,
    `test('${name}', () => ${test})`,
  ]
  return [
    `write src/${name}.js ${body.join('\\n')}`,
    `write test/${name}.test.js ${tested.join('\\n')}`,
    `write CHANGELOG.md # Changes\\n\\n- ${name}`,
    `commit ${title}`,
    `pr ${title}`,
    'finish Done.',
  ].join('\n')
}

const ROUND = (how: string) => [`export const round = (price) => Math.${how}(price * 100) / 100`]
const SHIPPING = [
  'export function shipping(weight) {',
  ...Array.from({ length: 34 }, (_, at) => `  if (weight === ${at + 1}) weight += 0`),
  '  if (weight > 1000) {',
  '    weight = 1000',
  '    console.log(weight)',
  '  }',
  '  return weight * 2',
  '}',
]

export async function createLandingWorld(): Promise<LandingWorld> {
  const world = await createBrowserWorld()
  const { ao, json, repo } = world
  writeFileSync(join(repo, 'agent-orchestrator.yaml'), CONFIG)
  // Changed and not committed, it would hold the train.
  world.git('commit', '--quiet', '--all', '--message', 'Land by train')
  ao('config', 'trust', '--yes')
  interface Pull {
    number: number
    session: string | null
    ci: string
  }
  const submit = async (title: string, script: string) => {
    const { session } = json<{ session: { id: string } }>('spawn', world.issue(title, script))
    const isDone = () => json<{ pullRequests: Pull[] }>('pr', 'ls', '--all').pullRequests.find(isGreen)
    const isGreen = (pull: Pull) => pull.session === session.id && pull.ci === 'passing'
    return (await waitFor(`a green pull request of ${title}`, isDone, 90_000)).number
  }
  const approve = (pull: number) => ao('pr', 'review', String(pull), '--approve')
  const train = () => json<Record<'riders' | 'landed' | 'left', unknown[]>>('land', 'ls')
  const riders = (count: number) => waitFor('riders', () => train().riders.length === count, 60_000)

  const tax = await submit(
    'Add taxes',
    change('Add taxes', 'tax', ['export const tax = (price) => price * 0.2'], 'assert.equal(tax(5), 1)'),
  )
  const round = await submit(
    'Round prices',
    change('Round prices', 'round', ROUND('round'), 'assert.equal(round(1.234), 1.23)'),
  )
  const floor = await submit(
    'Round prices down',
    change('Round prices down', 'round', ROUND('floor'), 'assert.equal(round(1.239), 1.23)'),
  )
  const pull = await submit(
    'Add shipping',
    change('Add shipping', 'shipping', SHIPPING, 'assert.equal(shipping(0), 0)'),
  )
  ao('land', 'pause')
  for (const one of [tax, round, floor]) approve(one)
  await riders(3)
  ao('land', 'resume')
  await waitFor('landings', () => train().landed.length === 2, 90_000)
  await waitFor('a departure', () => train().left.length === 1, 90_000)
  ao('land', 'pause', '--reason', 'release 2.4', '--until', '2h')
  approve(pull)
  await riders(1)
  return { ...world, pull }
}
