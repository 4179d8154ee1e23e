// One session on its page: its terminal, its messages, its end and its return, and a server that goes away.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
  it('shows the agent live, accepts no key until the person chooses to type, and then does', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/sessions/sam-1')
    const terminal = page.getByRole('region', { name: /terminal/i })
    await terminal.getByText('Shall I begin?').first().waitFor()
    await terminal.click()
    await page.keyboard.type('not typed')
    await page.getByRole('button', { name: 'Type', exact: true }).click()
    await sees(page, 'What you type reaches the agent.')
    await terminal.click()
    await page.keyboard.type('yes, begin')
    await page.keyboard.press('Enter')
    await terminal.getByText('Thank you.').first().waitFor()
    expect(await terminal.textContent()).not.toContain('not typed')
  })
})

describe('the end of a session', () => {
  it('is asked for twice, kept on the board, and undone with one click', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    await page.getByRole('button', { name: 'More for sam-1' }).click()
    await page.getByRole('menuitem', { name: /Kill/ }).click()
    expect(status()).not.toBe('killed')
    await page.getByRole('button', { name: 'Yes, kill it' }).click()
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    expect(status()).toBe('killed')
    await page.getByRole('button', { name: 'Restore' }).click()
    await waitFor('the session to be back', () => status() !== 'killed')
    await page.getByRole('button', { name: 'Restore' }).waitFor({ state: 'detached' })
  })
})

describe('work that is not committed yet', () => {
  it('is commented on its lines and goes to the agent as one message', async () => {
    keepPicture(world)
    const { page } = world
    const [{ workspacePath }] = world.json<{ sessions: [{ workspacePath: string }] }>('session', 'ls').sessions
    writeFileSync(join(workspacePath, 'draft.js'), 'const one = 1\nconst two = 2\n')
    await world.goto('/sessions/sam-1?tab=changes')
    const file = page.getByRole('region', { name: 'draft.js' })
    for (const [line, wording] of [
      [1, 'Why one?'],
      [2, 'Why two?'],
    ]) {
      await file.getByRole('button', { name: `Comment on line ${line}`, exact: true }).click()
      await page.getByRole('textbox', { name: `Comment on line ${line} of draft.js` }).fill(String(wording))
      await page.getByRole('button', { name: 'Add to the review' }).click()
    }
    await page.getByRole('button', { name: 'Send review (2)' }).click()
    await page.getByRole('textbox', { name: 'Summary' }).fill('Nearly there.')
    await page.getByRole('button', { name: 'Send to the agent' }).click()
    await sees(page, 'Review sent to sam-1')
    await page.getByRole('button', { name: 'Review', exact: true }).waitFor()
    const { events } = world.json<{ events: Array<{ type: string; text?: string }> }>('events', 'sam-1')
    const sent = events.filter(({ type, text }) => type === 'message.queued' && text?.includes('Nearly there.'))
    expect(sent.map(({ text }) => text)).toEqual([
      expect.stringMatching(/1\. draft\.js, line 1:\n> const one = 1\n\nWhy one\?/),
    ])
    expect(sent[0]!.text).toContain('2. draft.js, line 2:\n> const two = 2\n\nWhy two?')
  })
})

describe('a server that dies', () => {
  it('is shown plainly, and what happened meanwhile is there when it is back', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    await page.getByText('Wait for words').first().waitFor()
    const port = new URL(page.url()).port
    process.kill(world.json<{ pid: number }>('start').pid, 'SIGKILL')
    await sees(page, 'Connection lost.')
    world.ao('spawn', world.issue('Made while it was away', 'ask Are you back?'))
    world.startAgain(port)
    await sees(page, 'Made while it was away')
    await page.getByText('Connection lost.').first().waitFor({ state: 'hidden' })
  })
})

describe('a session that is removed while its page is open', () => {
  it('is shown as what it is then, and offers only what can be done', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/sessions/sam-2')
    await page.getByRole('button', { name: 'Kill', exact: true }).waitFor()
    world.ao('session', 'kill', 'sam-2', '--purge')
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Archive' }).waitFor()
    expect(await page.getByRole('button', { name: 'Kill', exact: true }).count()).toBe(0)
  })
})

describe('a part of the page that was lost on the way', () => {
  it('is loaded again automatically', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    let lost = 0
    await page.route('**/assets/archive-page-*.js', (route) => {
      lost += 1
      return lost === 1 ? route.abort() : route.continue()
    })
    await page.getByRole('link', { name: 'Archive' }).click()
    await page.getByRole('heading', { name: 'Archive', level: 1 }).waitFor()
    expect(lost).toBeGreaterThan(1)
    await page.unroute('**/assets/archive-page-*.js')
  })
})

describe('a record that is damaged', () => {
  it('is shown on every page', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/pulls')
    const data = join(world.home, '.agent-orchestrator')
    const project = readdirSync(data).find((name) => name.endsWith('-sample'))!
    const record = join(data, project, 'sessions', 'sam-1')
    const sound = readFileSync(record)
    writeFileSync(record, '\0\0\0')
    await sees(page, /The record of sam-1 is damaged/)
    // The loop has gone on with what could be read of it.
    writeFileSync(record, sound)
  })
})
