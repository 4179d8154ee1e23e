// A stack on a forge elsewhere as users have it: ao opens the requests, and its loop is killed between the push and its record.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { gitlabOptions, newProject } from './gitlab-world.ts'
import { type Forge, startForge } from './start-forge.ts'

let forge: Forge
let world: AoWorld

beforeAll(async () => {
  buildAo()
  forge = await startForge('gitlab-server.mjs')
}, 60_000)
afterEach(async () => {
  await world.ao(['stop', '--sessions'])
  expect(await world.temp.cleanup()).toEqual([])
})
afterAll(() => forge?.stop())

const CONFIG = (repo: string, options: object) => `lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process }
projects:
  app:
    path: .
    repo: ${repo}
    agent: demo
    agentConfig: { permissions: skip }
    tracker: local
    scm: ${JSON.stringify({ plugin: 'gitlab', ...options })}
    speculate: true
`

interface Shown {
  session: { id: string; metadata: { stack?: string } }
}

/** Longer than any machine takes. */
const until: typeof waitFor = (what, condition) => waitFor(what, condition, 60_000)

const work = (file: string) =>
  [`write ${file} done`, `commit ${file}`, 'push', 'finish done'].map((line) => `demo: ${line}`).join('\n')

it('is pushed once, found again after a kill -9, and made for the base branch when the work below has landed', async () => {
  world = createAoWorld({ config: '' })
  const { repo, temp } = world
  temp.env.GITLAB_TOKEN = 'token-acme'
  const bare = join(temp.home, 'app.git')
  const project = await newProject(forge, bare)
  writeFileSync(join(repo, 'agent-orchestrator.yaml'), CONFIG(project.repo, gitlabOptions(forge)))
  git(temp.home, temp.env, 'clone', '--quiet', '--bare', repo, bare)
  git(repo, temp.env, 'remote', 'add', 'origin', bare)
  await world.agree()

  const spawn = async (...args: string[]) => (await world.json<Shown>(['spawn', ...args])).session.id
  const first = await spawn('--prompt', work('one'))
  // It starts on what is there: without this, it could have to follow before the loop is to be killed for it.
  await until('the first push', () => git(bare, temp.env, 'for-each-ref', `refs/heads/session/${first}`) !== '')
  const second = await spawn('--prompt', work('two'), '--needs', first)
  const stack = async () => {
    const { session } = await world.json<Shown>(['session', 'show', second])
    return JSON.parse(session.metadata.stack ?? '{}') as { on?: string; moving?: { to: string } }
  }
  const request = (session: string) =>
    until(`the request of ${session}`, async () => {
      const all = await forge.api<Array<{ source_branch: string; target_branch: string; iid: number }>>(
        'GET',
        `${project.api}/merge_requests?state=all`,
      )
      return all.find(({ source_branch }) => source_branch === `session/${session}`)
    })
  const own = (base: string) => git(bare, temp.env, 'log', '--format=%s', `${base}..session/${second}`)
  const files = () => git(bare, temp.env, 'ls-tree', '--name-only', `session/${second}`).split('\n')
  const tip = () => git(bare, temp.env, 'rev-parse', `session/${second}`)

  await world.ao(['start'], { env: { AO_FAILPOINT: 'restack.pushed' } })
  expect(await request(second)).toMatchObject({ target_branch: `session/${first}` })
  await world.ao(['send', first, work('more')])
  await until('the push', () => files().includes('more'))
  const pushed = tip()
  expect(await stack()).toMatchObject({ on: first, moving: { to: pushed } })
  await world.ao(['stop'])
  await world.ao(['start'])
  await until('its record', async () => (await stack()).moving === undefined)
  expect([tip(), own(`session/${first}`)]).toEqual([pushed, 'two'])

  const { iid } = await request(first)
  await forge.api('PUT', `${project.api}/merge_requests/${iid}/merge`, { squash: true })
  await until('the new base', async () => (await request(second)).target_branch === 'main')
  await until('the restack onto main', () => own('main') === 'two')
}, 180_000)
