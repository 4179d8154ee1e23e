// Seven windows of one browser: browsers allow six HTTP connections to a server, and no page may keep one of them.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld({ runtime: 'process' })
})
afterAll(() => endsWell(world))

it('are all live, on different sessions too, and a request of the first one is answered', async () => {
  keepPicture(world)
  const { page } = world
  const ids = [1, 2].map((number) => {
    world.ao('spawn', world.issue(`Work ${number}`, 'think 300'))
    return `sam-${number}`
  })
  const windows: Page[] = [page]
  for (let count = 1; count < 7; count += 1) windows.push(await page.context().newPage())
  await Promise.all(windows.map((one, index) => world.goto(index < 4 ? '/' : `/sessions/${ids[index % 2]}`, one)))
  for (const [index, one] of windows.entries()) await sees(one, index < 4 || index % 2 === 0 ? 'Work 1' : 'Work 2')
  world.ao('session', 'rename', ids[0]!, 'Seen everywhere')
  for (const one of windows.slice(0, 4)) await sees(one, 'Seen everywhere')
  const status = await page.evaluate(async () => {
    const response = await fetch('/api/access', { signal: AbortSignal.timeout(10_000) })
    return response.status
  })
  expect(status).toBe(200)
  for (const one of windows.slice(1)) await one.close()
})

it('say within seconds that a frozen server is silent, and go on when it answers again', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/')
  await sees(page, 'Seen everywhere')
  const { pid } = world.json<{ pid: number }>('start')
  process.kill(pid, 'SIGSTOP')
  try {
    const started = Date.now()
    await sees(page, 'No news from the server since')
    expect(Date.now() - started).toBeLessThan(15_000)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await page.getByText('No news from the server since').waitFor({ state: 'detached' })
  await page.getByText('Connection lost').waitFor({ state: 'detached' })
})

it('a used link says how to get a new one, and takes it', async () => {
  const page = await world.open({ width: 390, height: 844 }, { isSignedIn: false })
  const { link } = world.json<{ link: string }>('dashboard', '--no-open')
  await world.goto('/sign-in?code=0123456789abcdefghij&to=/issues', page)
  await sees(page, 'This browser is not signed in')
  if (process.env.AO_LAYOUT_PICTURES) await page.screenshot({ path: `${process.env.AO_LAYOUT_PICTURES}/sign-in.png` })
  await page.getByRole('textbox', { name: 'Link' }).fill('https://example.com')
  await sees(page, 'This is not a link of ao')
  await page.getByRole('textbox', { name: 'Link' }).fill(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Issues' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/issues')
  await page.context().close()
})
