import { describe, expect, it } from 'vitest'
import { addressesOf } from './github-client.ts'
import { parseReference } from './repository-name.ts'

describe('a reference', () => {
  const web = 'https://github.com'
  it.each([
    ['42', { number: 42 }],
    [' #42 ', { number: 42 }],
    ['acme/app#42', { owner: 'acme', repo: 'app', number: 42 }],
    ['https://github.com/acme/app/issues/42', { owner: 'acme', repo: 'app', number: 42 }],
    ['https://github.com/acme/app/issues/42#issuecomment-1', { owner: 'acme', repo: 'app', number: 42 }],
    ['https://github.com/acme/app/pull/42', null],
    ['https://github.com.evil.example/acme/app/issues/42', null],
    ['https://evil.example/acme/app/issues/42', null],
    ['0', null],
    ['042', null],
    ['-1', null],
    ['4.2', null],
    ['99999999999', null],
    ['fix the login', null],
    ['', null],
  ])('%j is %j', (text, expected) => {
    expect(parseReference(text, 'issues', web)).toEqual(expected)
  })
})

describe('the addresses of a server', () => {
  it.each([
    ['https://api.github.com', 'https://api.github.com/graphql', 'https://github.com'],
    ['https://git.example.org/api/v3', 'https://git.example.org/api/graphql', 'https://git.example.org'],
    ['https://api.acme.ghe.com', 'https://api.acme.ghe.com/graphql', 'https://acme.ghe.com'],
    ['http://127.0.0.1:4001', 'http://127.0.0.1:4001/graphql', 'http://127.0.0.1:4001'],
  ])('%s: %s and %s', (apiUrl, graphqlUrl, webUrl) => {
    expect(addressesOf(apiUrl)).toEqual({ graphqlUrl, webUrl })
  })
})
