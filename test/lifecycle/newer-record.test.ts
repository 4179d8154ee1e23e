// A record that a newer program wrote, in the middle of others: the loop does everything for the others and nothing about it.
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { agreeToAll } from '../support/agree.ts'
import { createLoopWorld, type LoopWorld, snapshot } from './loop-world.ts'

let world: LoopWorld
afterEach(async () => {
  await world.cleanup()
})

it('does not stop the tick for the others, and is left as it is', async () => {
  world = await createLoopWorld({ projectYaml: '' })
  await agreeToAll(world.config, { home: world.temp.home, env: world.temp.env })
  const ids = [await world.spawn(), await world.spawn(), await world.spawn()]
  const [first, newer, last] = ids as [string, string, string]
  for (const id of ids) world.forge.readings.set(id, { kind: 'read', snapshot: snapshot({ ci: 'failing' }) })
  const { paths } = world.store
  writeFileSync(
    paths.sessionFile(newer),
    `version=2\n${readFileSync(paths.sessionFile(newer), 'utf8')}a line of tomorrow\n`,
  )
  const files = [paths.sessionFile(newer), paths.historyFile(newer)]
  const before = files.map((file) => readFileSync(file, 'utf8'))
  for (let n = 0; n < 3; n++) await world.tick()
  expect([first, last].map((id) => world.status(id))).toEqual(['ci_failed', 'ci_failed'])
  expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before)
  expect(world.lines.join('\n')).not.toContain(newer)
  expect(world.notifications.filter(({ message }) => message.includes(newer))).toEqual([])
})
