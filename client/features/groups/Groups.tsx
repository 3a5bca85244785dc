/** Groups page: all groups, the keys of one, or one key. */

import { KeyPage } from './key/KeyPage.tsx'
import { GroupPage } from './keys/GroupPage.tsx'
import { GroupsPage } from './list/GroupsPage.tsx'
import { useGroupsUrl } from './use-groups-url.ts'

export function Groups() {
  const { group, key } = useGroupsUrl()
  if (group === null) return <GroupsPage />
  if (key === null) return <GroupPage key={group} name={group} />
  return <KeyPage key={`${group}\n${key}`} name={group} keyName={key} />
}
