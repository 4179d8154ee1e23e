// From an issue to merged work without leaving the page: every step is a click or a key in a real browser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserWorld, createBrowserWorld, endsWell, keepPicture, sees } from './browser-world.ts'

let world: BrowserWorld

beforeAll(async () => {
  world = await createBrowserWorld({ reactions: ['approved-and-green: { auto: false }'] })
})
afterAll(() => endsWell(world))

const SCRIPT = `Write it, and ask for its name.

\`\`\`demo
ask Should it be called negate or minus?
write src/negate.js export const negate = (a) => a
write test/negate.test.js <<END
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { negate } from '../src/negate.js'

test('negates', () => assert.equal(negate(3), -3))
END
commit Add negate
pr Add negate
finish I opened a pull request.

on ci-failed:
write src/negate.js export const negate = (a) => -a
commit Negate
push
finish It negates now.

on changes-requested:
write src/negate.js export const negate = (number) => -number
commit A better name
push
finish I renamed the parameter.
\`\`\`
`

describe('a person who only clicks', () => {
  it('writes an issue, gives it to an agent, answers its question, reviews it, sees it fixed, and merges it', async () => {
    keepPicture(world)
    const { page } = world
    await world.goto('/issues')
    await page.getByRole('button', { name: 'New issue' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Add a negate function')
    await dialog.getByLabel('Text').fill(SCRIPT)
    await dialog.getByRole('button', { name: 'Create it' }).click()
    await page.getByRole('checkbox', { name: /Add a negate function/ }).check()
    await page.getByRole('button', { name: 'Start a session', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: /start/i }).click()
    await page.getByRole('status', { name: 'Started sessions' }).getByRole('link', { name: 'sam-1' }).waitFor()

    await world.goto('/')
    await sees(page, 'Should it be called negate or minus?')
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('textbox', { name: 'Answer sam-1' }).fill('negate, please')
    await page.getByRole('button', { name: 'Send' }).click()
    await sees(page, 'Seen by the agent')

    // Its first attempt fails CI, the loop sends the failure, and it fixes the work on its own.
    await page
      .getByRole('region', { name: /^In review/ })
      .getByText('Add a negate function')
      .waitFor()
    await sees(page, 'CI passing')
    await page.getByRole('link', { name: '#2' }).click()
    await page.getByRole('tab', { name: /Files changed/ }).click()
    const file = page.getByRole('region', { name: 'src/negate.js' })
    await file.getByRole('button', { name: 'Comment on line 1', exact: true }).first().click()
    await page.getByRole('textbox', { name: 'Comment on line 1 of src/negate.js' }).fill('Call the parameter number.')
    await page.getByRole('button', { name: 'Add to the review' }).click()
    await page.getByRole('button', { name: 'Finish review (1)' }).click()
    // Enter on a verdict chooses it and sends nothing.
    await page.getByRole('radio', { name: /Request changes/ }).press('Enter')
    await page.getByRole('button', { name: 'Submit review' }).click()

    await file.getByText('(number) => -number').first().waitFor()
    await page.getByRole('button', { name: 'Review', exact: true }).click()
    await page.getByRole('radio', { name: /Approve/ }).check()
    await page.getByRole('button', { name: 'Submit review' }).click()
    await page.getByRole('tab', { name: /Conversation/ }).click()
    await page.getByRole('button', { name: 'Merge into main' }).click()
    await page.getByRole('dialog').getByRole('button', { name: /merge/i }).click()
    await sees(page, /^Merged$/)

    await world.goto('/')
    await page.getByRole('region', { name: /^Done/ }).getByText('Add a negate function').waitFor()
    const { sessions } = world.json<{ sessions: Array<{ status: string }> }>('session', 'ls')
    expect(sessions.map(({ status }) => status)).toEqual(['merged'])
  })
})
