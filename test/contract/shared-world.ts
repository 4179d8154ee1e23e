// One agent world for all tests of a block, recreated between them only where agents write: creating a repository is slow.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type AgentWorld, createAgentWorld } from './agent-world.ts'

export function shareWorld(): () => AgentWorld {
  let world: AgentWorld
  beforeAll(() => {
    world = createAgentWorld()
  })
  beforeEach(() => {
    const written = [join(world.home, '.gemini'), join(world.home, '.local'), join(world.workspacePath, '.ao')]
    for (const path of [world.stateDir, ...written]) rmSync(path, { recursive: true, force: true })
    mkdirSync(world.stateDir, { mode: 0o700 })
  })
  afterAll(async () => {
    expect(await world.temp.cleanup()).toEqual([])
  })
  return () => world
}
