import { afterEach, describe, expect, it } from 'vitest'
import { getSession, newSession, resume, spawnChild, stopSession } from '../../src/agh/runtime.ts'
import { readMeta } from '../../src/agh/store/meta-file.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome, text } from './agh-home.ts'

let agh: AghHome
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

describe('types and lineage', () => {
  it('S4.111 S4.112 S4.113 S4.114 records the type, and starts dreams with approve-all', async () => {
    agh = createAghHome({ config: { permissions: { mode: 'deny-all' } } })
    const make = (type: 'user' | 'dream' | 'system') => newSession(agh.context, { workspace_path: agh.workspace, type })
    expect(await make('user')).toMatchObject({ type: 'user', permissions: 'deny-all' })
    const dream = await make('dream')
    expect(dream).toMatchObject({ type: 'dream', permissions: 'approve-all' })
    expect(text(await agh.prompt(dream.id, 'ask execute'))).toContain('"optionId":"yes"')
    expect(await make('system')).toMatchObject({ type: 'system', lineage: { spawn_depth: 0, parent_session_id: null } })
  })

  it('S4.118 a spawned session may work where its parent may, and nowhere else', async () => {
    agh = createAghHome({ front: ['additional_directories: [/usr]'] })
    const [open, closed] = [await agh.create(), await newSession(agh.context, { workspace_path: agh.workspace })]
    expect(open.additional_directories).toEqual(['/usr'])
    agh.context.live.get(closed.id)!.meta.additional_directories = []
    const childOf = (id: string) => spawnChild(agh.context, id, { ttl_seconds: 60 })
    expect((await childOf(open.id)).additional_directories).toEqual(['/usr'])
    expect((await childOf(closed.id)).additional_directories).toEqual([])
  })

  it('S4.116 S4.118 S4.120 a spawned session belongs to its parent, may not more, and ends with it', async () => {
    agh = createAghHome()
    const parent = await agh.create()
    await expect(spawnChild(agh.context, null, { ttl_seconds: 60 })).rejects.toMatchObject({
      code: 'ACCESS_REFUSED',
    })
    await expect(spawnChild(agh.context, parent.id, { ttl_seconds: 60, permissions: 'approve-all' })).rejects.toThrow(
      'may not have',
    )
    const child = await spawnChild(agh.context, parent.id, {
      ttl_seconds: 60,
      role: 'tester',
      permissions: 'deny-all',
    })
    expect(child).toMatchObject({
      type: 'spawned',
      permissions: 'deny-all',
      workspace_path: agh.workspace,
      lineage: { parent_session_id: parent.id, root_session_id: parent.id, spawn_depth: 1, spawn_role: 'tester' },
    })
    expect(readMeta(agh.context.paths, child.id).lineage.ttl_expires_at).toMatch(/Z$/)
    await stopSession(agh.context, parent.id, null)
    expect(await getSession(agh.context, child.id)).toMatchObject({
      state: 'stopped',
      stop_detail: 'the parent session stopped',
    })
    await expect(resume(agh.context, child.id)).rejects.toMatchObject({
      code: 'STATE_REFUSED',
      hint: `Resume the parent first: agh session resume ${parent.id}`,
    })
    await resume(agh.context, parent.id)
    expect(await resume(agh.context, child.id)).toMatchObject({ state: 'active', permissions: 'deny-all' })
  })

  it('S4.120 a spawned session, and its own children, end with a parent that crashes', async () => {
    agh = createAghHome()
    const parent = await agh.create()
    const child = await spawnChild(agh.context, parent.id, { ttl_seconds: 60 })
    const grandchild = await spawnChild(agh.context, child.id, { ttl_seconds: 60 })
    expect(grandchild.lineage).toMatchObject({ root_session_id: parent.id, spawn_depth: 2 })
    await agh.prompt(parent.id, 'exit 3')
    expect(await agh.stopped(parent.id)).toMatchObject({ stop_reason: 'agent_crashed' })
    for (const { id } of [child, grandchild]) {
      expect(await agh.stopped(id)).toMatchObject({ state: 'stopped', stop_detail: 'the parent session stopped' })
    }
  })

  it('S4.119 a spawned session ends with its time', async () => {
    agh = createAghHome()
    const parent = await agh.create()
    const child = await spawnChild(agh.context, parent.id, { ttl_seconds: 1 })
    await waitFor('its end', async () => (await getSession(agh.context, child.id)).state === 'stopped')
    expect(await getSession(agh.context, child.id)).toMatchObject({ stop_reason: 'timeout' })
    await expect(resume(agh.context, child.id)).rejects.toThrow('its time was over')
    expect(await getSession(agh.context, parent.id)).toMatchObject({ state: 'active' })
  })
})
