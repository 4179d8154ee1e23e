// One session on its page: its terminal, what was said to it, its end and its return, and a server that goes away.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld()
  world.ao('spawn', world.issue('Wait for words', 'ask Shall I begin?\nfinish Thank you.'))
})
afterAll(() => endsWell(world))

function status(): string | undefined {
  return world.json<{ sessions: Array<{ status: string }> }>('session', 'ls').sessions[0]?.status
}

describe('the terminal of a session', () => {
  it('shows the agent live, takes no key until one chooses to type, and then does', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/sessions/sam-1')
    const terminal = page.getByRole('region', { name: /terminal/i })
    await terminal.getByText('Shall I begin?').first().waitFor()
    await terminal.click()
    await page.keyboard.type('not typed')
    await page.getByRole('button', { name: 'Type', exact: true }).click()
    await terminal.click()
    await page.keyboard.type('yes, begin')
    await page.keyboard.press('Enter')
    await terminal.getByText('Thank you.').first().waitFor()
    expect(await terminal.textContent()).not.toContain('not typed')
  })
})

describe('the end of a session', () => {
  it('is asked for twice, kept on the board, and taken back with one click', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    await page.getByRole('button', { name: 'More for sam-1' }).click()
    await page.getByRole('menuitem', { name: /Kill/ }).click()
    expect(status()).not.toBe('killed')
    await page.getByRole('button', { name: /kill/i }).last().click()
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    expect(status()).toBe('killed')
    await page.getByRole('button', { name: 'Restore' }).click()
    await waitFor('the session to be back', () => status() !== 'killed')
    await page.getByRole('button', { name: 'Restore' }).waitFor({ state: 'detached' })
  })
})

describe('a server that goes away', () => {
  it('is said plainly, and what happened meanwhile is there when it is back', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    await page.getByText('Wait for words').first().waitFor()
    const port = new URL(page.url()).port
    world.ao('stop')
    await sees(page, 'Connection lost.')
    world.ao('spawn', world.issue('Made while it was away', 'ask Are you back?'))
    world.startAgain(port)
    await sees(page, 'Made while it was away')
    await page.getByText('Connection lost.').first().waitFor({ state: 'hidden' })
  })
})
