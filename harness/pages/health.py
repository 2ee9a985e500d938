"""Liveness: says that the web answers, touching neither database nor upstream."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe


@require_safe
async def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok", "service": "streamscope"}, headers={"Cache-Control": "no-store"})
