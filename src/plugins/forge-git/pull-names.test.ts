import { expect, it } from 'vitest'
import type { ProjectConfig } from '../../contract/config.ts'
import { pullRef } from '../../contract/ids.ts'
import { ownNumber, type PullNames } from './pull-names.ts'

const SHOP = 'https://code.example/gitlab/acme/shop/-/merge_requests/3'
const project = { id: 'shop', repo: 'acme/shop' } as ProjectConfig
const names: PullNames = {
  noun: 'merge request',
  sign: '!',
  repoOf: () => 'Acme/shop',
  numberIn: (text) => (text === SHOP ? 3 : null),
}

it.each([
  ['as its address alone says it, below a path of the server', pullRef(SHOP), 3],
  ['as the forge says it', { url: SHOP, number: 3, owner: 'acme', repo: 'shop' }, 3],
  ['without an owner', { url: SHOP }, 3],
  ['of another owner', { url: SHOP, number: 3, owner: 'other', repo: 'shop' }, null],
  ['of an owner that merely ends like it', { url: SHOP, number: 3, owner: 'not-acme', repo: 'shop' }, null],
  ['of another repository', { url: SHOP, number: 3, owner: 'acme', repo: 'website' }, null],
  ['with another number', { url: SHOP, number: 4, owner: 'acme', repo: 'shop' }, null],
  ['with another address', pullRef('https://code.example/gitlab/acme/website/-/merge_requests/3'), null],
])('a merge request %s', (_what, pr, number) => expect(ownNumber(names, pr, project)).toBe(number))
