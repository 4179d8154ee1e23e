// Pictures and files on the page: chosen, pasted and dropped, seen before and after they are sent, and drafts that stay.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { waitFor } from '../support/wait-for.ts'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld()
  world.ao('spawn', world.issue('Wait for words', 'ask Shall I begin?\nask And now?\nask And then?\nfinish Thank you.'))
})
afterAll(() => endsWell(world))

/** Drawn by the browser itself. */
async function drawPicture(): Promise<Buffer> {
  const url = await world.page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = 320
    canvas.height = 180
    const pen = canvas.getContext('2d')!
    pen.fillStyle = '#3457d5'
    pen.fillRect(0, 0, 320, 180)
    pen.fillStyle = 'white'
    pen.font = '32px sans-serif'
    pen.fillText('cut off here →', 40, 100)
    return canvas.toDataURL('image/png')
  })
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

/** As a person does with a picture in the clipboard, or with the mouse. */
async function give(how: 'paste' | 'drop', bytes: Buffer, name: string, type: string): Promise<void> {
  await world.page.getByRole('textbox', { name: 'Message to sam-1' }).evaluate(
    (field, { how, data, name, type }) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([bytes], name, { type }))
      const event =
        how === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true })
      field.dispatchEvent(event)
    },
    { how, data: bytes.toString('base64'), name, type },
  )
}

/** How many this browser keeps, of all drafts. */
const keptFiles = () =>
  world.page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const opened = indexedDB.open('ao-drafts')
        opened.onsuccess = () => {
          const all = opened.result.transaction('drafts').objectStore('drafts').getAll()
          all.onsuccess = () => {
            opened.result.close()
            resolve((all.result as Array<{ files: unknown[] }>).flatMap(({ files }) => files).length)
          }
        }
      }),
  )

it('sends what was pasted, dropped and chosen with one message, and shows it afterwards', async () => {
  keepPicture(world)
  const { page } = world
  await world.goto('/sessions/sam-1?tab=messages')
  const picture = await drawPicture()
  await page.getByRole('textbox', { name: 'Message to sam-1' }).fill('The button is cut off')
  await give('paste', picture, 'image.png', 'image/png')
  await give('drop', Buffer.from('<svg onload="window.hurt = true"/>'), 'evil.svg', 'image/svg+xml')
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('notes') })
  const chosen = page.getByRole('list', { name: 'Attached files' }).first()
  await waitFor('all three', async () => (await chosen.getByRole('listitem').count()) === 3)
  // Nothing of a draft is lost with the page.
  await waitFor('the draft to be kept', async () => (await keptFiles()) === 3)
  await world.goto('/sessions/sam-1?tab=messages')
  await waitFor('all three again', async () => (await chosen.getByRole('listitem').count()) === 3)
  expect(await page.getByRole('textbox', { name: 'Message to sam-1' }).inputValue()).toBe('The button is cut off')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await sees(page, 'Seen by the agent')
  const shown = page.getByRole('img', { name: 'image.png' })
  await shown.waitFor()
  await waitFor('its pixels', () => shown.evaluate((image: HTMLImageElement) => image.naturalWidth === 320))
  const saved = await page.getByRole('link', { name: /evil\.svg/ }).getAttribute('href')
  const answer = await page.request.get(new URL(saved!, page.url()).href)
  expect(answer.headers()).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment/),
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
  })
  const [{ workspacePath }] = world.json<{ sessions: [{ workspacePath: string }] }>('session', 'ls').sessions
  const { events } = world.json<{ events: Array<{ attachments?: Array<{ path: string }> }> }>('events', 'sam-1')
  const paths = events.flatMap(({ attachments = [] }) => attachments.map(({ path }) => join(workspacePath, path)))
  expect(paths).toHaveLength(3)
  expect(readFileSync(paths[0]!)).toEqual(picture)
  expect(paths.every((path) => existsSync(path))).toBe(true)
})

it('fits a phone, and says what is too large before anything is sent', async () => {
  const { page } = world
  await page.setViewportSize({ width: 390, height: 844 })
  await world.goto('/sessions/sam-1?tab=messages')
  await page.locator('input[type=file]').setInputFiles({
    name: 'film.mov',
    mimeType: 'video/quicktime',
    buffer: Buffer.alloc(9 * 1024 * 1024),
  })
  await sees(page, 'film.mov is larger than 8 MB')
  await give('paste', await drawPicture(), 'image.png', 'image/png')
  await page.getByRole('button', { name: 'Remove image.png' }).waitFor()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  keepPicture(world)
})
