import { expect, it } from 'vitest'
import { findInstallation } from './upgrade.ts'

it.each([
  ['/usr/lib/node_modules/ao-fleet', 'global', 'npm install --global ao-fleet@latest'],
  [
    '/home/u/.local/lib/node_modules/ao-fleet',
    'global',
    "npm install --global --prefix '/home/u/.local' ao-fleet@latest",
  ],
  ['/home/u/.npm/_npx/1f2e/node_modules/ao-fleet', 'npx', 'npx ao-fleet@latest'],
  ['/home/u/.local/share/pnpm/global/5/node_modules/ao-fleet', 'global', 'pnpm add --global ao-fleet@latest'],
  ['/home/u/.bun/install/global/node_modules/ao-fleet', 'global', 'bun add --global ao-fleet@latest'],
  ['/home/u/my app/node_modules/ao-fleet', 'project', "npm --prefix '/home/u/my app' install ao-fleet@latest"],
  ['/srv/ao', 'clone', "git -C '/srv/ao' pull --ff-only && npm --prefix '/srv/ao' run build"],
])('%s is updated as it was installed', (directory, installed, command) => {
  expect(findInstallation(directory, { nodePrefix: '/usr' })).toEqual({ installed, directory, command })
})
