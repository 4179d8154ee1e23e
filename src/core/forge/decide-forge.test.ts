import { describe, expect, it } from 'vitest'
import { FORGES } from '../../contract/forges.ts'
import { apiUrlOf, decideForge, decideOrigin, hostOfApi, needsSshConfig } from './decide-forge.ts'

const rowOf = (plugin: string) => FORGES.find((row) => row.plugin === plugin)!

describe('the forge of a remote', () => {
  it.each<[url: string, env: Record<string, string>, ssh: string | null, plugin: string | null, origin: string]>([
    ['https://github.com/acme/app.git', {}, null, 'github', 'https://github.com'],
    ['git@github.com:acme/app.git', {}, null, 'github', 'https://github.com'],
    ['http://github.com/acme/app.git', {}, null, 'github', 'https://github.com'],
    ['ssh://git@ssh.github.com:443/acme/app.git', {}, null, 'github', 'https://github.com'],
    ['git@github-work:acme/app.git', {}, 'github.com', 'github', 'https://github.com'],
    ['git@github-work:acme/app.git', {}, 'ssh.github.com', 'github', 'https://github.com'],
    ['git@github-work:acme/app.git', {}, null, null, 'https://github-work'],
    ['https://acme.ghe.com/acme/app', {}, null, 'github', 'https://acme.ghe.com'],
    ['https://github.com:8443/acme/app', {}, null, 'github', 'https://github.com'],
    ['http://github.com:8080/acme/app', {}, null, 'github', 'https://github.com'],
    ['https://acme.ghe.com:8443/acme/app', {}, null, 'github', 'https://acme.ghe.com'],
    ['https://gitlab.com:8443/grp/app', {}, null, 'gitlab', 'https://gitlab.com'],
    ['https://gitlab.corp.example:8443/grp/app', {}, null, 'gitlab', 'https://gitlab.corp.example:8443'],
    ['https://github.corp.example/acme/app', {}, null, 'github', 'https://github.corp.example'],
    ['git@code.corp.example:acme/app', { GH_HOST: 'code.corp.example' }, null, 'github', 'https://code.corp.example'],
    ['https://github.com.evil.example/a/b', {}, null, 'github', 'https://github.com.evil.example'],
    ['https://evil.example/github.com/app', {}, null, null, 'https://evil.example'],
    ['git@gitlab.com:grp/sub/app.git', {}, null, 'gitlab', 'https://gitlab.com'],
    ['ssh://git@altssh.gitlab.com:443/grp/app.git', {}, null, 'gitlab', 'https://gitlab.com'],
    ['https://gitlab.corp.example/grp/app.git', {}, null, 'gitlab', 'https://gitlab.corp.example'],
    [
      'ssh://git@git.corp.example:2222/grp/app',
      { GITLAB_HOST: 'git.corp.example' },
      null,
      'gitlab',
      'https://git.corp.example',
    ],
    [
      'ssh://git@git.corp.example:2222/g/app',
      { GITLAB_HOST: 'https://git.corp.example:8443/' },
      null,
      'gitlab',
      'https://git.corp.example:8443',
    ],
    ['https://codeberg.org/acme/app', {}, null, 'forgejo', 'https://codeberg.org'],
    ['https://gitea.home.example:3000/acme/app', {}, null, 'forgejo', 'https://gitea.home.example:3000'],
    [
      'http://git.home.example:3000/acme/app',
      { FORGEJO_HOST: 'http://git.home.example:3000' },
      null,
      'forgejo',
      'http://git.home.example:3000',
    ],
    ['https://git.corp.example/acme/app', {}, null, null, 'https://git.corp.example'],
    ['git@bitbucket.org:acme/app.git', {}, null, null, 'https://bitbucket.org'],
  ])('%s with %j and ssh host %j', (url, env, ssh, plugin, origin) => {
    const decided = decideForge(url, env, ssh)
    expect([decided?.forge?.plugin ?? null, decided?.origin]).toEqual([plugin, origin])
  })

  it.each(['/srv/git/app.git', '../app', 'file:///srv/app.git', '', 'ext::sh -c x', 'git@-oProxyCommand=x:a/b'])(
    '%j is on none',
    (url) => {
      expect(decideForge(url, {})).toBeNull()
      expect(needsSshConfig(url, {})).toBe(false)
    },
  )

  it.each([
    ['git@bitbucket.org:a/b', 'Bitbucket'],
    ['git@ssh.dev.azure.com:v3/org/project/app', 'Azure DevOps'],
    ['https://git.corp.example/a/b', null],
  ])('%s: the product that ao has no plugin for is %j', (url, product) => {
    expect(decideForge(url, {})?.otherProduct).toBe(product)
  })

  it('asks ssh only about otherwise unknown hosts', () => {
    expect(needsSshConfig('git@github-work:a/b', {})).toBe(true)
    expect(needsSshConfig('git@github.com:a/b', {})).toBe(false)
    expect(needsSshConfig('https://git.corp.example/a/b', {})).toBe(false)
    expect(needsSshConfig('git@bitbucket.org:a/b', {})).toBe(false)
  })
})

describe('where a plugin asks', () => {
  it.each<[plugin: string, url: string, env: Record<string, string>, api: string]>([
    ['github', 'git@github.com:a/b', {}, 'https://api.github.com'],
    ['github', 'https://acme.ghe.com/a/b', {}, 'https://api.acme.ghe.com'],
    ['github', 'https://github.corp.example/a/b', {}, 'https://github.corp.example/api/v3'],
    // The plugin named in the configuration decides what an unknown host is.
    ['github', 'https://code.corp.example/a/b', {}, 'https://code.corp.example/api/v3'],
    ['gitlab', 'https://code.corp.example/a/b', {}, 'https://code.corp.example/api/v4'],
    ['forgejo', 'git@code.corp.example:a/b', {}, 'https://code.corp.example/api/v1'],
    ['forgejo', '/srv/app.git', {}, 'https://codeberg.org/api/v1'],
    // A mirror: the remote is on another forge.
    ['gitlab', 'git@github.com:a/b', {}, 'https://gitlab.com/api/v4'],
    ['gitlab', 'git@github.com:a/b', { GITLAB_HOST: 'gitlab.corp.example' }, 'https://gitlab.corp.example/api/v4'],
    ['github', 'https://gitlab.corp.example/a/b', {}, 'https://api.github.com'],
    ['github', '/srv/app.git', {}, 'https://api.github.com'],
    ['github', 'git@bitbucket.org:a/b', {}, 'https://api.github.com'],
  ])('%s with %s and %j: %s', (plugin, url, env, api) => {
    const forge = rowOf(plugin)
    expect(apiUrlOf(forge, decideOrigin(forge, decideForge(url, env), env))).toBe(api)
  })

  it.each([
    ['github', 'https://api.github.com', 'github.com'],
    ['github', 'https://api.acme.ghe.com', 'acme.ghe.com'],
    ['github', 'https://api.evil.example', 'api.evil.example'],
    ['gitlab', 'https://gitlab.com/api/v4', 'gitlab.com'],
  ])('%s: %s belongs to %s', (plugin, api, host) => {
    expect(hostOfApi(rowOf(plugin), api)).toBe(host)
  })
})
