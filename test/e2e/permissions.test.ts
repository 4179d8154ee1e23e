// A session on agh in the browser: its conversation, and leave given or refused with a click.
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld({ runtime: 'acp', permissions: 'default' })
  const script = [
    'say I have a plan.',
    'permission delete everything',
    'append notes.md gone',
    'permission keep a note',
    'append notes.md kept',
    'finish All done.',
  ]
  world.ao('spawn', world.issue('Ask before acting', script.join('\n')))
})
afterAll(() => endsWell(world))

describe('an agent that asks before it acts', () => {
  it('is refused on the board, allowed in its transcript, and continues accordingly', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    await sees(page, 'delete everything')
    await page.getByRole('button', { name: 'No', exact: true }).click()
    await page.getByText('delete everything').first().waitFor({ state: 'detached' })
    await sees(page, 'keep a note')

    await world.goto('/sessions/sam-1')
    await sees(page, 'I have a plan.')
    await page.getByRole('button', { name: 'Yes', exact: true }).click()
    await sees(page, 'All done.')
    await sees(page, 'notes.md')
  })
})
