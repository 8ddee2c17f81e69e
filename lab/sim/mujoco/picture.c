/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures without a display: MuJoCo's renderer in an EGL context that has no surface.
 *
 * libEGL is loaded at run time. Without it, robots still move, and only pictures are refused. */
#include "lab/sim/mujoco/robots.h"

#include "base/error.h"
#include "base/memory.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMEDY "pictures need EGL and Mesa (Debian: apt-get install libegl1 libegl-mesa0 libgl1 libgl1-mesa-dri)"

enum { MOST_GEOMS = 2000, FONT = 100, FONT_LARGE = 150 };

/* The few functions of EGL that are used. */
typedef struct egl {
  void *library;
  PFNEGLGETPLATFORMDISPLAYPROC get_platform_display;
  PFNEGLINITIALIZEPROC initialize;
  PFNEGLCHOOSECONFIGPROC choose_config;
  PFNEGLBINDAPIPROC bind_api;
  PFNEGLCREATECONTEXTPROC create_context;
  PFNEGLMAKECURRENTPROC make_current;
  PFNEGLDESTROYCONTEXTPROC destroy_context;
  PFNEGLTERMINATEPROC terminate;
} egl;

struct fcps_camera {
  egl egl;
  EGLDisplay display;
  EGLContext context;
  mjvCamera view;
  mjvOption options;
  mjvScene scene;
  mjrContext renderer;
  float *depth;  /* the depth of each pixel */
  mjData *shown; /* a copy of the state, in which bodies that are only drawn can be moved */
  int width, height;
  bool has_scene;
};

static bool find_functions(egl *e)
{
  e->library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (e->library == NULL) return false;
  const struct {
    const char *name;
    void *slot;
  } wanted[] = {
      {"eglGetPlatformDisplay", &e->get_platform_display},
      {"eglInitialize", &e->initialize},
      {"eglChooseConfig", &e->choose_config},
      {"eglBindAPI", &e->bind_api},
      {"eglCreateContext", &e->create_context},
      {"eglMakeCurrent", &e->make_current},
      {"eglDestroyContext", &e->destroy_context},
      {"eglTerminate", &e->terminate},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(e->library, wanted[i].name);
    if (symbol == NULL) return false;
    memcpy(wanted[i].slot, &symbol, sizeof symbol); /* ISO C has no cast from data pointers to function pointers */
  }
  return true;
}

/* Opens an OpenGL context on the platform that needs neither display nor graphics card, and makes it current. */
static fcps_status open_context(fcps_camera *c, fcps_error *error)
{
  static const EGLint wanted[] = {EGL_RED_SIZE,
                                  8,
                                  EGL_GREEN_SIZE,
                                  8,
                                  EGL_BLUE_SIZE,
                                  8,
                                  EGL_ALPHA_SIZE,
                                  8,
                                  EGL_DEPTH_SIZE,
                                  24,
                                  EGL_STENCIL_SIZE,
                                  8,
                                  EGL_SURFACE_TYPE,
                                  EGL_PBUFFER_BIT,
                                  EGL_RENDERABLE_TYPE,
                                  EGL_OPENGL_BIT,
                                  EGL_NONE};
  EGLConfig config;
  EGLint count = 0;
  if (!find_functions(&c->egl))
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "libEGL was not found: " REMEDY);
  c->display = c->egl.get_platform_display(EGL_PLATFORM_SURFACELESS_MESA, (void *)EGL_DEFAULT_DISPLAY, NULL);
  if (c->display == EGL_NO_DISPLAY || !c->egl.initialize(c->display, NULL, NULL) ||
      !c->egl.choose_config(c->display, wanted, &config, 1, &count) || count < 1 || !c->egl.bind_api(EGL_OPENGL_API))
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "EGL cannot draw without a display here: " REMEDY);
  c->context = c->egl.create_context(c->display, config, EGL_NO_CONTEXT, NULL);
  if (c->context == EGL_NO_CONTEXT || !c->egl.make_current(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, c->context))
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "EGL gives no OpenGL context: " REMEDY);
  return FCPS_OK;
}

typedef struct setting_up {
  fcps_camera *camera;
  const fcps_sim *sim;
} setting_up;

static void make_renderer(void *argument)
{
  fcps_camera *c = ((setting_up *)argument)->camera;
  const model *shared = ((setting_up *)argument)->sim->shared;

  mjv_defaultCamera(&c->view);
  memcpy(c->view.lookat, shared->robot->camera.lookat, sizeof c->view.lookat);
  c->view.distance = shared->robot->camera.distance;
  c->view.azimuth = shared->robot->camera.azimuth;
  c->view.elevation = shared->robot->camera.elevation;
  mjv_defaultOption(&c->options);
  memset(c->options.sitegroup, 0, sizeof c->options.sitegroup); /* hides the model's own marks */
  mjv_defaultScene(&c->scene);
  mjr_defaultContext(&c->renderer);
  mjv_makeScene(shared->m, &c->scene, MOST_GEOMS);
  c->has_scene = true;
  mjr_makeContext(shared->m, &c->renderer, c->height > 600 ? FONT_LARGE : FONT);
  mjr_resizeOffscreen(c->width, c->height, &c->renderer);
  mjr_setBuffer(mjFB_OFFSCREEN, &c->renderer);
  c->shown = mj_makeData(shared->m);
}

fcps_status fcps_camera_create(fcps_camera **camera, const fcps_sim *sim, int width, int height, fcps_error *error)
{
  *camera = NULL;
  if (width < 16 || height < 16 || width > 4096 || height > 4096)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "size", "is %d x %d; both numbers must be from 16 to 4096", width,
                          height);
  fcps_camera *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(error);
  made->width = width;
  made->height = height;
  made->depth = fcps_allocate((size_t)width * (size_t)height, sizeof *made->depth);

  char trouble[TROUBLE_SIZE];
  fcps_status status = made->depth != NULL ? open_context(made, error) : fcps_error_memory(error);
  if (status == FCPS_OK && !fcps_mujoco_guard(make_renderer, &(setting_up){made, sim}, trouble))
    status = fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "MuJoCo cannot draw here (%s): " REMEDY, trouble);
  if (status != FCPS_OK) {
    fcps_camera_destroy(made);
    return status;
  }
  *camera = made;
  return FCPS_OK;
}

void fcps_camera_destroy(fcps_camera *camera)
{
  if (camera == NULL) return;
  if (camera->has_scene) {
    mjr_freeContext(&camera->renderer);
    mjv_freeScene(&camera->scene);
  }
  mj_deleteData(camera->shown);
  free(camera->depth);
  if (camera->context != EGL_NO_CONTEXT) {
    camera->egl.make_current(camera->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    camera->egl.destroy_context(camera->display, camera->context);
  }
  /* EGL is neither terminated nor unloaded: other cameras share the display, and Mesa keeps its own threads */
  free(camera);
}

/* Hides the axes of the mocap body, which exist only for steering. */
static void hide_mocap(const mjModel *m, mjvScene *scene)
{
  for (int i = 0; i < scene->ngeom; i++) {
    mjvGeom *geom = &scene->geoms[i];
    if (geom->objtype == mjOBJ_GEOM && m->body_mocapid[m->geom_bodyid[geom->objid]] >= 0) geom->rgba[3] = 0;
  }
}

/* Marks the target: a flat red disc and a thin pole above it. */
static void mark_target(mjvScene *scene, const double *target)
{
  static const float disc_colour[] = {0.9f, 0.1f, 0.1f, 1.0f}, pole_colour[] = {0.9f, 0.1f, 0.1f, 0.5f};
  const struct {
    mjtNum size[3], rise; /* rise: half the height */
    const float *colour;
  } marks[] = {
      {{0.03, 0.002, 0}, 0.0, disc_colour},
      {{0.004, 0.07, 0}, 0.07, pole_colour},
  };
  for (size_t i = 0; i < sizeof marks / sizeof *marks && scene->ngeom < scene->maxgeom; i++) {
    const mjtNum position[3] = {target[0], target[1], target[2] + marks[i].rise};
    mjvGeom *geom = &scene->geoms[scene->ngeom++];
    mjv_initGeom(geom, mjGEOM_CYLINDER, marks[i].size, position, NULL, marks[i].colour);
    geom->emission = 0.6f; /* the mark stays visible in the shade */
  }
}

/* Fills the background with the colour of dusk. In a model without a sky it would be black. */
static void fill_background(int count, const float *depth, unsigned char *rgb)
{
  static const unsigned char dusk[3] = {72, 84, 104};
  for (int i = 0; i < count; i++)
    if (depth[i] >= 1 && !rgb[3 * i] && !rgb[3 * i + 1] && !rgb[3 * i + 2]) memcpy(rgb + 3 * i, dusk, sizeof dusk);
}

typedef struct drawing {
  fcps_camera *camera;
  const fcps_sim *sim;
  const fcps_sim_scene *scene;
  unsigned char *rgb;
} drawing;

static void draw(void *argument)
{
  const drawing *g = argument;
  fcps_camera *c = g->camera;
  const model *shared = g->sim->shared;
  const mjrRect whole = {0, 0, c->width, c->height};

  mj_copyData(c->shown, shared->m, g->sim->data);
  if (shared->robot->show_target != NULL) shared->robot->show_target(shared, c->shown, g->scene->target);
  mj_forward(shared->m, c->shown);
  mjv_updateScene(shared->m, c->shown, &c->options, NULL, &c->view, mjCAT_ALL, &c->scene);
  hide_mocap(shared->m, &c->scene);
  mark_target(&c->scene, g->scene->target);
  mjr_render(whole, &c->scene, &c->renderer);
  if (g->scene->caption != NULL)
    mjr_overlay(mjFONT_NORMAL, mjGRID_BOTTOMLEFT, whole, g->scene->caption, NULL, &c->renderer);
  mjr_readPixels(g->rgb, c->depth, whole, &c->renderer);
  fill_background(c->width * c->height, c->depth, g->rgb);
}

/* Turns a picture upside down: OpenGL's rows begin at the bottom, ours at the top. */
static void flip(int width, int height, unsigned char *rgb)
{
  const int row = 3 * width;
  for (int top = 0, bottom = height - 1; top < bottom; top++, bottom--)
    for (int i = 0; i < row; i++) {
      const unsigned char saved = rgb[top * row + i];
      rgb[top * row + i] = rgb[bottom * row + i];
      rgb[bottom * row + i] = saved;
    }
}

fcps_status fcps_camera_draw(fcps_camera *camera, const fcps_sim *sim, const fcps_sim_scene *scene, unsigned char *rgb,
                             fcps_error *error)
{
  char trouble[TROUBLE_SIZE];
  if (!fcps_mujoco_guard(draw, &(drawing){camera, sim, scene, rgb}, trouble))
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "drawing failed: %s", trouble);
  flip(camera->width, camera->height, rgb);
  return FCPS_OK;
}
