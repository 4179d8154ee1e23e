import { describe, expect, it } from 'vitest'
import { addGrant, grantsAfterTurn, useGrant } from './permission-grants.ts'

const resolve = (path: string) => (path.startsWith('../') ? null : `/code/${path.replace(/^\/code\//, '')}`)
const answered = (kind: string, toolCall: object, optionKind = 'allow_once') =>
  addGrant([], { requestId: 'perm-1', kind, toolCall, optionKind }, resolve)
const write = (path: string) => ({ name: 'write_file', path }) as const
const run = (command: string, ...args: string[]) => ({ name: 'run_command', command, args }) as const

describe('a permission that a person granted', () => {
  it.each([
    ['locations', { locations: [{ path: 'a.txt' }] }],
    ['a diff', { content: [{ type: 'diff', path: '/code/a.txt' }] }],
    ['file_path', { rawInput: { file_path: 'a.txt' } }],
    ['filePath', { rawInput: { filePath: '/code/a.txt' } }],
  ])('covers the file that its %s names, once, and no other', (_where, call) => {
    const grants = answered('edit', call)
    expect(useGrant(grants, write('/code/b.txt'))).toBeNull()
    const used = useGrant(grants, write('/code/a.txt'))
    expect(used?.grant.requestId).toBe('perm-1')
    expect(useGrant(used!.left, write('/code/a.txt'))).toBeNull()
  })

  it.each([
    ['a question about reading', 'read', { locations: [{ path: 'a.txt' }] }, 'allow_once'],
    ['a no', 'edit', { locations: [{ path: 'a.txt' }] }, 'reject_once'],
    ['a question that names nothing', 'edit', {}, 'allow_once'],
    ['a file out of reach', 'edit', { locations: [{ path: '../a.txt' }] }, 'allow_once'],
    ['always for something that is no edit', 'other', {}, 'allow_always'],
  ])('is none for %s', (_what, kind, call, option) => {
    expect(answered(kind, call, option)).toEqual([])
  })

  it('covers the command that it names, itself or in a shell, and nothing that only ends with it', () => {
    const grants = answered('execute', { title: '`npm test`' })
    expect(useGrant(grants, run('npm', 'test'))).not.toBeNull()
    expect(useGrant(grants, run('/bin/bash', '-lc', 'npm test'))).not.toBeNull()
    expect(useGrant(grants, run('rm', '-rf', 'npm test'))).toBeNull()
    expect(useGrant(grants, run('npm', 'publish'))).toBeNull()
    expect(useGrant(grants, write('npm test'))).toBeNull()
  })

  it('ends with its turn, unless it is for the session', () => {
    const once = answered('edit', { locations: [{ path: 'a.txt' }] })
    const always = answered('edit', {}, 'allow_always')
    expect(grantsAfterTurn([...once, ...always])).toEqual(always)
    expect(useGrant(always, write('/code/any.txt'))?.left).toEqual(always)
  })
})
