import { describe, expect, it } from 'vitest'
import { isRemoteAddress, parseRemote } from './parse-remote.ts'

describe('parseRemote', () => {
  it.each([
    ['https://github.com/acme/app.git', 'github.com', 'acme/app'],
    ['https://github.com/acme/app', 'github.com', 'acme/app'],
    ['https://github.com/acme/app/', 'github.com', 'acme/app'],
    ['https://user:s3cret@github.com/acme/app.git', 'github.com', 'acme/app'],
    ['https://ghp_token@github.com/acme/app.git', 'github.com', 'acme/app'],
    ['https://github.com@evil.example/acme/app', 'evil.example', 'acme/app'],
    ['https://github.com:x@evil.example/acme/app', 'evil.example', 'acme/app'],
    ['git@github.com.evil.example:acme/app.git', 'github.com.evil.example', 'acme/app'],
    ['git@github.com:acme/app.git', 'github.com', 'acme/app'],
    ['github.com:acme/app.git', 'github.com', 'acme/app'],
    ['ssh://git@GitLab.Example.com:2222/group/sub/app.git', 'gitlab.example.com', 'group/sub/app'],
    ['git://host.example/a/b.c', 'host.example', 'a/b.c'],
  ])('%s', (url, host, repo) => {
    expect(parseRemote(url)).toMatchObject({ host, repo })
  })

  it.each([
    '',
    '/srv/git/app.git',
    '../app',
    'file:///srv/app.git',
    'C:/code/app',
    'https://github.com/app',
    'git@host:app',
    'https://h/a\nb/c',
    'ext::sh -c x',
    'ssh://-oProxyCommand=x/a/b',
    'git@-oProxyCommand=x:a/b',
    'https://evil.example#@github.com/a/b',
    'https://evil.example?@github.com/a/b',
    'https://evil.example\\@github.com/a/b',
    'https://github.com@user@evil.example/a/b',
    'https://github.com%2eevil.example/a/b',
  ])('finds no repository in %j', (url) => {
    expect(parseRemote(url)).toBeNull()
  })
})

describe('isRemoteAddress', () => {
  it.each([
    'https://[2001:db8::1]/acme/app',
    'git@[2001:db8::1]:acme/app',
    'https://gitlab.corp.example/app',
    'host:app',
    'git+ssh://host/a/b',
  ])('is true for %s', (url) => {
    expect(isRemoteAddress(url)).toBe(true)
  })

  it.each(['/srv/git/app.git', '../app', 'app.git', 'file:///srv/git/app.git', 'C:/git/app', './a:b/c'])(
    'is false for %s',
    (url) => {
      expect(isRemoteAddress(url)).toBe(false)
    },
  )
})
