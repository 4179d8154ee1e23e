// An agent in a terminal that shows a dialog: its question on the board and on its page, answered with a click.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

const TUI = join(import.meta.dirname, '..', 'fixtures', 'tui-dialog.mjs')

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld()
  const file = join(world.repo, 'agent-orchestrator.yaml')
  const command = JSON.stringify([process.execPath, TUI, `--log=${log()}`])
  const text = readFileSync(file, 'utf8').replace(
    'permissions: skip',
    `command: ${command}\n      permissions: default`,
  )
  writeFileSync(file, text.replace('agent: demo', 'agent: generic'))
  world.ao('config', 'trust', '--yes')
  world.ao('spawn', '--prompt', 'work')
})
afterAll(() => endsWell(world))

const log = () => join(world.home, 'tui.jsonl')
const noted = () => {
  const lines = readFileSync(log(), 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as { pid?: number; text?: string; chose?: string })
}
const chosen = () => noted().flatMap(({ chose }) => chose ?? [])
const ask = () => process.kill(noted()[0]!.pid!, 'SIGUSR1')

it('is refused on the board and allowed on its page, by its own keys', async () => {
  keepPicture(world)
  const { page } = world
  ask()
  await world.goto('/')
  await sees(page, 'Do you want to proceed?')
  await page.getByRole('button', { name: 'No, and say what to do instead' }).click()
  await waitFor('the refusal', () => chosen().length === 1)
  expect(chosen()).toEqual(['No, and say what to do instead'])
  await page.getByText('Do you want to proceed?').first().waitFor({ state: 'detached' })

  ask()
  await world.goto('/sessions/sam-1')
  await sees(page, 'Do you want to proceed?')
  await page.getByRole('button', { name: 'Yes', exact: true }).click()
  await waitFor('the permission', () => chosen().length === 2)
  expect(chosen().at(-1)).toBe('Yes')
  // Neither click was a message to the agent.
  expect(noted().flatMap(({ text: output }) => output ?? [])).not.toContain('y')
})
