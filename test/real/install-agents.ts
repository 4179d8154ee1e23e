// Installs the real agents, once for all tests: outside of the repository, and removed again unless AGH_REAL_PREFIX names a
// place to keep them.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

const AGENTS: Readonly<Record<string, string>> = {
  '@agentclientprotocol/claude-agent-acp': '0.99.0',
  '@agentclientprotocol/codex-acp': '2.6.0',
  '@anthropic-ai/claude-code': '2.1.325',
  '@earendil-works/pi-coding-agent': '0.87.1',
  '@github/copilot': '1.0.102',
  '@google/gemini-cli': '0.61.0',
  '@openai/codex': '0.166.0',
  '@qwen-code/qwen-code': '0.24.4',
  'opencode-ai': '1.18.33',
}

declare module 'vitest' {
  export interface ProvidedContext {
    agentsPrefix: string
  }
}

/** A run of its own that may fail: it says what the next pinned versions will meet. */
const isNewest = process.env.AO_REAL_NEWEST === '1'

export default function setup(project: TestProject) {
  const kept = process.env.AGH_REAL_PREFIX
  const prefix = kept ?? mkdtempSync(join(tmpdir(), 'agh-real-'))
  mkdirSync(prefix, { recursive: true })
  if (!isInstalled(prefix)) install(prefix)
  project.provide('agentsPrefix', prefix)
  return () => {
    if (kept === undefined) rmSync(prefix, { recursive: true, force: true })
  }
}

function isInstalled(prefix: string): boolean {
  if (isNewest) return false
  return Object.entries(AGENTS).every(([name, version]) => {
    const file = join(prefix, 'node_modules', name, 'package.json')
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).version === version
  })
}

function install(prefix: string): void {
  writeFileSync(join(prefix, 'package.json'), '{ "private": true }\n')
  const pinned = Object.entries(AGENTS).map(([name, version]) => `${name}@${version}`)
  if (!npmInstall(prefix, pinned)) throw new Error('npm could not install the agents')
  if (!isNewest) return
  // One by one: the newest version of one that cannot be had must not hide the others.
  for (const name of Object.keys(AGENTS)) {
    if (!npmInstall(prefix, [`${name}@latest`])) console.log(`differs: the newest ${name} cannot be installed`)
  }
}

function npmInstall(prefix: string, wanted: readonly string[]): boolean {
  console.log(`installing ${wanted.join(', ')}`)
  const how = { cwd: prefix, stdio: 'inherit' } as const
  return spawnSync('npm', ['install', '--no-audit', '--no-fund', ...wanted], how).status === 0
}
