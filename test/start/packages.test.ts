/** Optional packages. */
import { expect, test } from 'vitest'
import { requireInstalled } from '../../server/base/packages.ts'

test('the error lists missing packages only', () => {
  const need = { what: 'The part', packages: ['zod', 'no-such-package', 'nor-this-one'] }
  const install = 'npm install no-such-package nor-this-one'
  expect(() => requireInstalled(need)).toThrow(`The part needs no-such-package and nor-this-one; run: ${install}`)
})

test('a module whose packages are installed is loaded', () => {
  expect(() => requireInstalled({ what: 'The part', packages: ['zod'] })).not.toThrow()
})
