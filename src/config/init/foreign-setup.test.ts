import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { findForeignSetup } from './foreign-setup.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aot-foreign-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
/** Without the variables that stand before each command. */
const plain = (commands: string[] = []) => commands.map((command) => command.replace(/^export [^;]*; /, ''))

it.each<[string, object, string[], string[]]>([
  [
    'conductor.json',
    { scripts: { setup: 'npm ci', run: 'npm start', archive: './down.sh' } },
    ['npm ci'],
    ['./down.sh'],
  ],
  ['.superset/config.json', { setup: ['./a.sh', './b.sh'], teardown: ['./c.sh'] }, ['./a.sh', './b.sh'], ['./c.sh']],
  ['.emdash.json', { scripts: { setup: 'make', teardown: '' } }, ['make'], []],
  [
    '.cursor/worktrees.json',
    { 'setup-worktree': ['npm ci', 'cp $ROOT_WORKTREE_PATH/.env .env'] },
    ['npm ci', 'cp $ROOT_WORKTREE_PATH/.env .env'],
    [],
  ],
])('takes over %s', (file, content, postCreate, preRemove) => {
  write(file, JSON.stringify(content))
  const found = findForeignSetup(root)
  expect([found?.file, plain(found?.postCreate), plain(found?.preRemove)]).toEqual([file, postCreate, preRemove])
})

it('gives scripts the variables of their tool', () => {
  write('conductor.json', '{"scripts":{"setup":"./setup.sh"}}')
  expect(findForeignSetup(root)?.postCreate[0]).toContain('CONDUCTOR_PORT="$AO_SESSION_PORT"; ./setup.sh')
})

it.each([
  '',
  '{',
  '[]',
  'null',
  '{"scripts":7}',
  '{"scripts":{"setup":{"a":1}}}',
  '{"scripts":{"setup":[1,null," "]}}',
])('takes nothing over from %s', (text) => {
  write('conductor.json', text)
  expect(findForeignSetup(root)).toBeNull()
})
