// Starting sessions in the browser, from the board and from the issues, and finding rows in lists.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld
let first: string

beforeAll(async () => {
  world = await createBrowserWorld({ reactions: ['agent-idle: { auto: false }'] })
  first = world.issue('Count the apples', 'ask How many?')
  world.issue('Count the pears', 'ask How many pears?')
}, 120_000)
afterAll(() => endsWell(world))

describe('the dialog that starts sessions', () => {
  it('starts one on an issue that is picked there, on a branch of its own name', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/')
    await page.getByRole('button', { name: 'Spawn', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Start a session' })
    const start = dialog.getByRole('button', { name: 'Start' })
    expect(await start.isDisabled()).toBe(true)
    // One may write at once.
    expect(await dialog.getByLabel('Task').evaluate((box) => box === document.activeElement)).toBe(true)
    await dialog.getByLabel('Issue').selectOption(first)
    await dialog.getByLabel('Branch').fill('fruit/apples')
    await start.click()
    await page.waitForURL(/\/sessions\/sam-1$/)
    await sees(page, 'fruit/apples')
  })

  it('leads to the session of an issue in progress, and starts another one beside it on another branch', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/issues')
    await page.getByRole('button', { name: 'Open sam-1' }).click()
    await page.waitForURL(/\/sessions\/sam-1$/)
    await page.goBack()
    await page.getByRole('button', { name: `More for #${first}` }).click()
    await page.getByRole('menuitem', { name: 'Start another session' }).click()
    const dialog = page.getByRole('dialog', { name: 'Start a session' })
    await dialog.getByLabel('Branch').fill('fruit/apples')
    await dialog.getByRole('button', { name: 'Start' }).click()
    // A problem is shown where it can be fixed.
    await dialog.getByRole('alert').getByText('fruit/apples').waitFor()
    await dialog.getByLabel('Branch').fill('fruit/more-apples')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await page
      .getByRole('status', { name: 'Started sessions' })
      .getByRole('link', { name: /^sam-[23]$/ })
      .waitFor()
  })
})

it('the orchestrator is one click from the board, talked to there, and found again', async () => {
  keepPicture(world)
  const { page } = world
  const click = () => page.getByRole('button', { name: 'Orchestrator', exact: true }).click()
  await world.goto('/')
  await click()
  await page.waitForURL(/\/sessions\/sam-orchestrator$/)
  await page.getByRole('textbox', { name: /Message to sam-orchestrator/ }).fill('How is everybody?')
  await page.getByRole('button', { name: 'Send' }).click()
  await sees(page, /Seen by the agent|Handed over/)
  await world.goto('/')
  await click()
  await page.waitForURL(/\/sessions\/sam-orchestrator$/)
})

describe('the filter of a list', () => {
  it('is in the address, and an issue has a page of its own', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/issues')
    await page.getByRole('link', { name: /Count the apples/ }).click()
    await page.waitForURL(/\/projects\/sample\/issues\/\d+$/)
    await page.getByRole('heading', { level: 1, name: 'Count the apples' }).waitFor()
    await page.getByRole('button', { name: 'Labels' }).click()
    await page.getByRole('menuitem', { name: 'New label…' }).click()
    await page.getByRole('textbox', { name: 'Label' }).fill('fruit')
    await page.getByRole('button', { name: 'Add it' }).click()
    await page.getByRole('list', { name: 'Labels' }).getByText('fruit').waitFor()
    await page.getByRole('textbox', { name: 'Comment' }).fill('Only the red ones.')
    await page.getByRole('button', { name: 'Comment' }).click()
    await page.getByRole('list', { name: 'Conversation' }).getByText('Only the red ones.').waitFor()
    await page.getByRole('link', { name: 'Issues /' }).click()
    await page.getByRole('searchbox', { name: 'Search' }).fill('pears')
    await page.getByText('Count the apples').first().waitFor({ state: 'detached' })
    await sees(page, 'Count the pears')
    await page.getByLabel('State').selectOption('all')
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/issues?q=pears&state=all')
    await world.goto('/pulls?q=nothing&state=all')
    await page.getByLabel('State').selectOption('open')
    expect(new URL(page.url()).search).toBe('?q=nothing')
  })
})
